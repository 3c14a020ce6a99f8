internal import Foundation
internal import RecordModel

/// The content of a file or of a BYTES field.
struct InMemoryContent {
    let bytes: [UInt8]
    let type: String?
    /// The ETag without quotes.
    let tag: String

    /// Returns the response with the whole content, or with the requested range.
    func respond(to request: InMemoryRequest) throws -> TransportResponse {
        if request["width"] != nil || request["height"] != nil { throw InMemoryError.notThere("thumbnails") }
        let tag = "\"\(tag)\""
        let type = type == "text/plain" ? "text/plain; charset=utf-8" : type
        var response = TransportResponse(
            status: 200,
            fields: ["content-type": type ?? "application/octet-stream", "etag": tag, "accept-ranges": "bytes"])
        if request.field("if-none-match") == tag {
            response.status = 304
            return response
        }
        var range = 0..<bytes.count
        if let text = request.field("range"), [nil, tag].contains(request.field("if-range")) {
            switch Self.range(text, of: bytes.count) {
            case .whole: break
            case .part(let part):
                range = part
                response.status = 206
                response.fields["content-range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
            case .nothing:
                var rejection = TransportResponse.rejecting(
                    RecordError.badRequest(
                        "The byte range begins after the end of the value", cause: .rangeNotSatisfiable))
                rejection.fields["content-range"] = "bytes */\(bytes.count)"
                return rejection
            }
        }
        response.body = Data(bytes[range])
        response.fields["content-length"] = String(range.count)
        return response
    }

    /// The part of the content that a Range header field selects.
    private enum Wanted {
        case whole
        case part(Range<Int>)
        case nothing
    }

    /// Parses the first range of a Range header field.
    private static func range(_ text: String, of count: Int) -> Wanted {
        guard text.hasPrefix("bytes=") else { return .whole }
        let ends = text.dropFirst(6).prefix { $0 != "," }
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2 else { return .whole }
        switch (ends[0], ends[1]) {
        case (let start?, let last):
            let end = last.map { min($0, count - 1) + 1 } ?? count
            return start < end ? .part(start..<end) : .nothing
        case (nil, let length?): return count > 0 && length > 0 ? .part(max(0, count - length)..<count) : .nothing
        case (nil, nil): return .whole
        }
    }
}
