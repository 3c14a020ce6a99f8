public import Foundation

extension Database {
    /// Reads a file into memory.
    ///
    /// - Parameter range: The bytes to read; `nil` is all of them. What lies behind the end of the file does not come.
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
    /// - Throws: `FogbaseError.serverFailed` with the cause `thumbnailsUnavailable` if the server makes none.
    public func thumbnail(of source: AssetSource, _ thumbnail: Thumbnail) async throws -> Data {
        guard thumbnail.width != nil || thumbnail.height != nil else {
            throw FogbaseError.invalidArgument("A thumbnail has a width, a height, or both")
        }
        return try await connection.send(try source.call(thumbnail.query)).body
    }

    /// Reads a file into a file, which is there when it is whole, in the place of one that was there. After a lost connection it
    /// goes on where it was.
    ///
    /// - Parameter progress: Is told how far it is, from any thread.
    public func download(_ source: AssetSource, to file: URL, progress: ProgressHandler? = nil) async throws {
        let call = try source.call()
        let target = try DownloadFile(file)
        var failures = 0
        while true {
            let before = target.count
            do {
                try await fetch(call, to: target, progress)
                return try target.finish()
            } catch let error where Self.canGoOn(error) {
                if target.count > before { failures = 0 }
                failures += 1
                guard let delay = connection.retry.delay(after: failures, asked: nil) else {
                    throw Connection.translate(error)
                }
                try await connection.retry.sleep(delay)
            }
        }
    }

    /// Reads what is missing of a file.
    private func fetch(_ call: Call, to target: DownloadFile, _ progress: ProgressHandler?) async throws {
        var call = call
        if target.count > 0, let version = target.version {
            call.fields += [("Range", "bytes=\(target.count)-"), ("If-Range", version)]
        }
        let (head, parts) = try await connection.stream(call)
        let length = head.fields["content-length"].flatMap { Int64($0) }
        // Another file than before comes as a whole, by If-Range.
        if head.status != 206 || !Self.continues(head, at: target.count) { try target.startOver() }
        target.version = head.fields["etag"]
        let total = length.map { $0 + target.count }
        progress?(TransferProgress(completedBytes: target.count, totalBytes: total))
        for try await part in parts {
            try target.append(part)
            progress?(TransferProgress(completedBytes: target.count, totalBytes: total))
        }
        if let total, total != target.count {
            throw TransportError.responseLost("\(target.count) of \(total) bytes have come")
        }
    }

    /// Whether a part is the one that was asked for.
    private static func continues(_ head: TransportResponse, at offset: Int64) -> Bool {
        head.fields["content-range"]?.hasPrefix("bytes \(offset)-") == true
    }

    /// Whether an attempt may follow: of the body, which `Connection` cannot ask for a second time.
    private static func canGoOn(_ error: any Error) -> Bool {
        if let error = error as? TransportError, case .responseLost = error { return true }
        return false
    }
}
