public import Foundation

extension Database {
    /// How much of a file is asked for at once.
    static let downloadPartBytes: Int64 = 8 << 20

    /// Reads a file into memory.
    ///
    /// - Parameters:
    ///   - source: Which file.
    ///   - range: The bytes to read; `nil` is all of them. What lies behind the end of the file does not come.
    /// - Throws: `FogbaseError.tokenExpired` if its address is too old; `badRequest` if the range begins behind the end.
    public func data(of source: AssetSource, range: Range<Int64>? = nil) async throws -> Data {
        var call = try source.call()
        if let range {
            guard !range.isEmpty, range.lowerBound >= 0 else {
                throw FogbaseError.invalidArgument("The range \(range) has no bytes")
            }
            call.fields.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        let response = try await connection.send(call)
        guard let range, response.status == 200 else { return response.body }
        // Whoever answers with the whole file leaves the choice to the client.
        return response.body.dropFirst(Int(min(range.lowerBound, Int64(response.body.count)))).prefix(range.count)
    }

    /// Reads a smaller picture.
    ///
    /// - Throws: `FogbaseError.badRequest` with the cause `thumbnailsUnavailable` if the server makes none.
    public func thumbnail(of source: AssetSource, _ thumbnail: Thumbnail) async throws -> Data {
        guard thumbnail.width != nil || thumbnail.height != nil else {
            throw FogbaseError.invalidArgument("A thumbnail has a width, a height, or both")
        }
        return try await connection.send(try source.call(thumbnail.query)).body
    }

    /// Reads a file into a file, which is there when it is whole, in the place of one that was there. It is read in parts, and
    /// goes on where it was after a lost connection.
    ///
    /// - Parameters:
    ///   - source: Which file.
    ///   - file: Where it goes; its folder has to be there.
    ///   - progress: Is told how far it is, from any thread.
    public func download(_ source: AssetSource, to file: URL, progress: ProgressHandler? = nil) async throws {
        let call = try source.call()
        let target = try DownloadFile(file)
        var failures = 0
        while true {
            let before = target.count
            do {
                if try await fetch(call, to: target, progress) { return try target.finish() }
                failures = 0
            } catch TransportError.responseLost(let why) {
                // `Connection` tries again until an answer begins, but cannot ask for the rest of a body.
                if target.count > before { failures = 0 }
                failures += 1
                guard let delay = connection.retry.delay(after: failures, asked: nil) else {
                    throw FogbaseError.responseLost(why)
                }
                try await connection.retry.sleep(delay)
            }
        }
    }

    /// Reads the next part of a file.
    ///
    /// - Returns: Whether the file is whole.
    private func fetch(_ call: Call, to target: DownloadFile, _ progress: ProgressHandler?) async throws -> Bool {
        var call = call
        call.fields.append(("Range", "bytes=\(target.count)-\(target.count + Self.downloadPartBytes - 1)"))
        // An empty file has no bytes to ask for, and neither has one that has become shorter.
        call.accepts = [416]
        let (head, parts) = try await connection.stream(call)
        // Without If-Range, since that would bring all of another file at once.
        if let version = target.version, version != head.fields["etag"], head.status != 416 {
            try target.startOver()
            return false
        }
        let range = head.fields["content-range"] ?? ""
        let length = range.split(separator: "/").last.flatMap { Int64($0) }
        if head.status == 416, length == target.count { return true }
        guard head.status == 200 || (head.status == 206 && range.hasPrefix("bytes \(target.count)-") && length != nil)
        else {
            // Behind the end of a file that was longer before; at the beginning there is nothing to begin anew.
            guard head.status == 416, target.count > 0 else {
                throw FogbaseError.notFogbase(status: head.status, "The range '\(range)' was not asked for")
            }
            try target.startOver()
            return false
        }
        // Some proxies know no ranges: all of the file comes.
        if head.status == 200 { try target.startOver() }
        target.version = head.fields["etag"]
        let total = head.status == 200 ? head.fields["content-length"].flatMap { Int64($0) } : length
        let end = head.status == 200 ? total : total.map { min($0, target.count + Self.downloadPartBytes) }
        progress?(TransferProgress(completedBytes: target.count, totalBytes: total))
        for try await part in parts {
            try target.append(part)
            progress?(TransferProgress(completedBytes: target.count, totalBytes: total))
        }
        if let end, end != target.count {
            throw TransportError.responseLost("\(target.count) of \(end) bytes have come")
        }
        return total == nil || total == target.count
    }
}
