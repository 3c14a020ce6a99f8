public import Foundation

extension Database {
    /// The maximum number of bytes in the range of one download request.
    static let downloadPartBytes: Int64 = 8 << 20

    /// Downloads a file into memory.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - range: The bytes to read; `nil` reads the whole file. Bytes past the end of the file are omitted.
    /// - Throws: `FogbaseError.tokenExpired` if the asset's URL has expired; `badRequest` if the range starts past the
    ///   end of the file; `invalidArgument` if the range is empty.
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
        // The response contains the whole file, so extract the range.
        return response.body.dropFirst(Int(min(range.lowerBound, Int64(response.body.count)))).prefix(range.count)
    }

    /// Downloads a thumbnail of a picture.
    ///
    /// - Throws: `FogbaseError.badRequest` with the cause `thumbnailsUnavailable` if the server makes no thumbnails;
    ///   `invalidArgument` if the thumbnail has neither width nor height.
    public func thumbnail(of source: AssetSource, _ thumbnail: Thumbnail) async throws -> Data {
        guard thumbnail.width != nil || thumbnail.height != nil else {
            throw FogbaseError.invalidArgument("A thumbnail has a width, a height, or both")
        }
        return try await connection.send(try source.call(thumbnail.query)).body
    }

    /// Downloads a file to disk.
    ///
    /// The file is downloaded in ranges, and the download resumes after a lost connection. When the download is
    /// complete, the new file replaces an existing file. A failed download leaves the existing file unchanged.
    ///
    /// ```swift
    /// try await database.download(.asset(photo), to: url) { print($0.fraction ?? 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - file: The destination. Its directory must exist.
    ///   - progress: A function that is called after each received part, on any thread.
    /// - Throws: `FogbaseError.tokenExpired` if the asset's URL has expired; `invalidArgument` if the destination
    ///   cannot be written; `responseLost` if the connection was lost more often than the retry policy allows.
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
                // `Connection` does not retry after a response has started, because it cannot request the rest of a
                // body.
                if target.count > before { failures = 0 }
                failures += 1
                guard let delay = connection.retry.delay(after: failures, asked: nil) else {
                    throw FogbaseError.responseLost(why)
                }
                try await connection.retry.sleep(delay)
            }
        }
    }

    /// Downloads the next range of a file.
    ///
    /// - Returns: Whether the file is complete.
    private func fetch(_ call: Call, to target: DownloadFile, _ progress: ProgressHandler?) async throws -> Bool {
        var call = call
        call.fields.append(("Range", "bytes=\(target.count)-\(target.count + Self.downloadPartBytes - 1)"))
        // The server responds with status 416 if the file is empty, or is now shorter than the offset.
        call.accepts = [416]
        let (head, parts) = try await connection.stream(call)
        // Do not send If-Range: for a changed file, the server would send the whole file in one response.
        if let version = target.version, version != head.fields["etag"], head.status != 416 {
            try target.startOver()
            return false
        }
        let range = head.fields["content-range"] ?? ""
        let length = range.split(separator: "/").last.flatMap { Int64($0) }
        if head.status == 416, length == target.count { return true }
        guard head.status == 200 || (head.status == 206 && range.hasPrefix("bytes \(target.count)-") && length != nil)
        else {
            // The file is now shorter than the offset, so restart the download. A restart cannot help at offset 0.
            guard head.status == 416, target.count > 0 else {
                throw FogbaseError.notFogbase(status: head.status, "The range '\(range)' was not asked for")
            }
            try target.startOver()
            return false
        }
        // Some proxies ignore the Range field and send the whole file.
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
