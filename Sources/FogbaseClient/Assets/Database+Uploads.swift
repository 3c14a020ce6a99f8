public import Foundation
public import RecordModel
internal import RecordWire

extension Database {
    /// The largest file that is sent at once, and the length of the parts of larger ones, in bytes.
    static let uploadPartBytes = 4 << 20
    static let singleUploadBytes: Int64 = 8 << 20

    /// Uploads bytes. What it returns is the value of a record's field; until a record has it, the server keeps the bytes for a
    /// day.
    ///
    /// - Parameters:
    ///   - data: The bytes; more than 8 MiB go in parts.
    ///   - contentType: The media type, such as `image/jpeg`; pictures are recognised by the server itself.
    ///   - filename: What a download is called; `nil` is no name.
    ///   - progress: Is told how far it is, from any thread.
    public func upload(
        _ data: Data, contentType: String = "application/octet-stream", filename: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await upload(.data(data), contentType, filename, progress)
    }

    /// Uploads a file. A large one goes in parts, of which one at a time is in memory, and goes on by itself after a lost
    /// connection; to go on in a later run of the app, use `beginUpload`.
    ///
    /// - Parameters:
    ///   - file: It must stay as it is until the upload is done.
    ///   - contentType: The media type; pictures are recognised by the server itself.
    ///   - filename: What a download is called; `nil` is the file's own name.
    ///   - progress: Is told how far it is, from any thread.
    public func upload(
        _ file: URL, contentType: String = "application/octet-stream", filename: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await upload(.file(file), contentType, filename ?? file.lastPathComponent, progress)
    }

    private func upload(
        _ source: UploadSource, _ contentType: String, _ filename: String?, _ progress: ProgressHandler?
    ) async throws -> Asset {
        let length = try source.length()
        guard length <= Self.singleUploadBytes else {
            let upload = try await beginUpload(length: length, contentType: contentType, filename: filename)
            return try await send(upload, source, from: 0, progress)
        }
        var call = Call("POST", "assets")
        if let filename { call.query.append(("filename", filename)) }
        call.body = try source.part(at: 0, count: Int(length))
        call.contentType = contentType
        // The server keeps the same bytes once.
        call.isRepeatable = true
        call.timeout = Self.uploadTimeout
        progress?(TransferProgress(completedBytes: 0, totalBytes: length))
        let response = try await connection.send(call)
        let asset = try Self.asset(response)
        progress?(TransferProgress(completedBytes: length, totalBytes: length))
        return asset
    }

    // MARK: Uploads that outlive the app

    /// Begins an upload that can go on in a later run of the app: keep what this returns, then `resume` it.
    public func beginUpload(
        length: Int64, contentType: String = "application/octet-stream", filename: String? = nil
    ) async throws -> ResumableUpload {
        var call = Call("POST", "assets", "uploads")
        call.fields = [("Tus-Resumable", "1.0.0"), ("Upload-Length", String(length))]
        var metadata = ["filetype " + Data(contentType.utf8).base64EncodedString()]
        if let filename { metadata.append("filename " + Data(filename.utf8).base64EncodedString()) }
        call.fields.append(("Upload-Metadata", metadata.joined(separator: ",")))
        // One that was begun twice is forgotten by the server.
        call.isRepeatable = true
        let response = try await connection.send(call)
        guard let address = response.fields["location"], address.hasPrefix("/") else {
            throw FogbaseError.notFogbase(status: response.status, "A new upload has no address")
        }
        return ResumableUpload(address: address, length: length)
    }

    /// Begins an upload of a file that can go on in a later run of the app.
    public func beginUpload(
        of file: URL, contentType: String = "application/octet-stream", filename: String? = nil
    ) async throws -> ResumableUpload {
        try await beginUpload(
            length: try UploadSource.file(file).length(), contentType: contentType,
            filename: filename ?? file.lastPathComponent)
    }

    /// Goes on with an upload where the server has got to; also when it was never begun with, or is done.
    ///
    /// - Parameters:
    ///   - upload: What `beginUpload` has returned, in this run of the app or an earlier one.
    ///   - file: The one that was begun with, unchanged.
    ///   - progress: Is told how far it is, from any thread.
    /// - Throws: `FogbaseError.notFound` if the server has forgotten it: begin another one.
    public func resume(
        _ upload: ResumableUpload, from file: URL, progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await resume(upload, .file(file), progress)
    }

    /// Goes on with an upload of bytes.
    public func resume(
        _ upload: ResumableUpload, from data: Data, progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await resume(upload, .data(data), progress)
    }

    private func resume(
        _ upload: ResumableUpload, _ source: UploadSource, _ progress: ProgressHandler?
    ) async throws -> Asset {
        let length = try source.length()
        guard length == upload.length else {
            throw FogbaseError.invalidArgument(
                "The upload was begun with \(upload.length) bytes, and these are \(length): begin another one")
        }
        return try await send(upload, source, from: try await offset(of: upload), progress)
    }

    /// Gives an upload up, so that the server needs not keep what has come of it. It is no error if there is none any more.
    public func abandon(_ upload: ResumableUpload) async throws {
        var call = Self.call("DELETE", upload)
        call.isRepeatable = true
        do {
            _ = try await connection.send(call)
        } catch FogbaseError.notFound {
            // That is what was wanted.
        } catch FogbaseError.tokenExpired {
            // Its time was over.
        }
    }

    // MARK: Parts

    /// Sends what is missing. When an answer is lost, the server is asked how far it has got: nothing is sent in vain, and
    /// nothing is written twice.
    private func send(
        _ upload: ResumableUpload, _ source: UploadSource, from start: Int64, _ progress: ProgressHandler?
    ) async throws -> Asset {
        var offset = start
        var failures = 0
        while offset < upload.length {
            progress?(TransferProgress(completedBytes: offset, totalBytes: upload.length))
            let count = Int(min(Int64(Self.uploadPartBytes), upload.length - offset))
            do {
                offset = try await send(try source.part(at: offset, count: count), of: upload, at: offset)
                failures = 0
            } catch let error as FogbaseError where error.isRetryable || error.status == 409 {
                failures += 1
                guard let delay = connection.retry.delay(after: failures, asked: error.retryAfter) else { throw error }
                try await connection.retry.sleep(delay)
                let reached = try await self.offset(of: upload)
                // A connection that breaks off now and then still gets there.
                if reached > offset { failures = 0 }
                offset = reached
            }
        }
        var call = Self.call("GET", upload)
        call.fields = []
        let asset = try Self.asset(try await connection.send(call))
        progress?(TransferProgress(completedBytes: upload.length, totalBytes: upload.length))
        return asset
    }

    /// Sends a part.
    ///
    /// - Returns: Where to go on.
    private func send(_ part: Data, of upload: ResumableUpload, at offset: Int64) async throws -> Int64 {
        var call = Self.call("PATCH", upload)
        call.fields.append((TransportRequest.uploadOffset, String(offset)))
        call.contentType = "application/offset+octet-stream"
        call.body = part
        call.timeout = Self.uploadTimeout
        return try Self.offset(try await connection.send(call), of: upload)
    }

    private func offset(of upload: ResumableUpload) async throws -> Int64 {
        do {
            return try Self.offset(try await connection.send(Self.call("HEAD", upload)), of: upload)
        } catch FogbaseError.notFogbase {
            // An answer to HEAD cannot say what is wrong; one to GET does.
            var call = Self.call("GET", upload)
            call.fields = []
            let response = try await connection.send(call)
            guard let offset = try response.readTree()["offset"]?.integer else { throw response.isNoUpload }
            return offset
        }
    }

    /// A part on a slow line takes longer than other requests may.
    private static var uploadTimeout: Duration { .seconds(120) }

    private static func call(_ method: String, _ upload: ResumableUpload) -> Call {
        var call = Call(method)
        call.address = upload.address
        call.fields = [("Tus-Resumable", "1.0.0")]
        return call
    }

    private static func offset(_ response: TransportResponse, of upload: ResumableUpload) throws -> Int64 {
        guard let offset = response.fields["upload-offset"].flatMap({ Int64($0) }), 0...upload.length ~= offset else {
            throw response.isNoUpload
        }
        return offset
    }

    private static func asset(_ response: TransportResponse) throws -> Asset {
        guard let tree = try response.readTree()["asset"], let asset = Asset(tree) else { throw response.isNoUpload }
        return asset
    }
}

extension TransportResponse {
    fileprivate var isNoUpload: FogbaseError {
        .notFogbase(status: status, "The answer to an upload is none")
    }
}

extension Asset {
    /// Reads the answer to an upload.
    init?(_ tree: JSONValue) {
        guard let checksum = tree["fileChecksum"]?.string, let size = tree["size"]?.integer else { return nil }
        self.init(
            fileChecksum: checksum, size: size, receipt: tree["receipt"]?.string,
            contentType: tree["contentType"]?.string, filename: tree["filename"]?.string)
        downloadURL = tree["downloadURL"]?.string
        if let width = tree["width"]?.integer, let height = tree["height"]?.integer {
            picture = AssetPicture(width: width, height: height, orientation: tree["orientation"]?.integer ?? 1)
        }
    }
}
