public import Foundation
public import RecordModel
internal import RecordWire

extension Database {
    /// The size of one part of a resumable upload, in bytes.
    static let uploadPartBytes = 4 << 20
    static let singleUploadBytes: Int64 = 8 << 20

    /// Uploads bytes as a file, and returns the asset to assign to a record's field.
    ///
    /// If no record refers to the file after a day, the server deletes it.
    ///
    /// ```swift
    /// let photo = try await database.upload(data, contentType: "image/jpeg")
    /// try await database.create(Picture(title: "Fog", image: photo))
    /// ```
    ///
    /// - Parameters:
    ///   - data: The bytes. More than 8 MiB are sent in parts.
    ///   - contentType: The media type, such as `image/jpeg`. For pictures, the server detects the type from the
    ///     content.
    ///   - filename: The file name that downloads get; `nil` for none.
    ///   - progress: A function that is called with the progress, on any thread.
    /// - Throws: `FogbaseError.limitExceeded` if the file is larger than the server allows; `quotaExceeded` if the
    ///   storage is full.
    public func upload(
        _ data: Data, contentType: String = "application/octet-stream", filename: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await upload(.data(data), contentType, filename, progress)
    }

    /// Uploads a file, and returns the asset to assign to a record's field.
    ///
    /// Files larger than 8 MiB are sent in parts. Only one part is in memory at a time, and the upload resumes after a
    /// lost connection. To resume an upload in a later run of the app, use ``beginUpload(of:contentType:filename:)``.
    ///
    /// - Parameters:
    ///   - file: The file. It must not change until the upload is complete.
    ///   - contentType: The media type. For pictures, the server detects the type from the content.
    ///   - filename: The file name that downloads get; `nil` uses the name of `file`.
    ///   - progress: A function that is called with the progress, on any thread.
    /// - Throws: `FogbaseError.invalidArgument` if the file cannot be read; `limitExceeded` if the file is larger than
    ///   the server allows; `quotaExceeded` if the storage is full.
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
        // A retry is safe, because the server stores equal files only once.
        call.isRepeatable = true
        call.timeout = Self.uploadTimeout
        progress?(TransferProgress(completedBytes: 0, totalBytes: length))
        let response = try await connection.send(call)
        let asset = try Self.asset(response)
        progress?(TransferProgress(completedBytes: length, totalBytes: length))
        return asset
    }

    // MARK: Resumable uploads

    /// Starts an upload that can be resumed in a later run of the app.
    ///
    /// Save the returned upload, then pass it to `resume`.
    ///
    /// - Throws: `FogbaseError.limitExceeded` if the file is larger than the server allows; `quotaExceeded` if the
    ///   storage is full.
    public func beginUpload(
        length: Int64, contentType: String = "application/octet-stream", filename: String? = nil
    ) async throws -> ResumableUpload {
        var call = Call("POST", "assets", "uploads")
        call.fields = [("Tus-Resumable", "1.0.0"), ("Upload-Length", String(length))]
        var metadata = ["filetype " + Data(contentType.utf8).base64EncodedString()]
        if let filename { metadata.append("filename " + Data(filename.utf8).base64EncodedString()) }
        call.fields.append(("Upload-Metadata", metadata.joined(separator: ",")))
        // A retry can create a second upload, which the server deletes when it expires.
        call.isRepeatable = true
        let response = try await connection.send(call)
        guard let address = response.fields["location"], address.hasPrefix("/") else {
            throw FogbaseError.notFogbase(status: response.status, "A new upload has no address")
        }
        return ResumableUpload(address: address, length: length)
    }

    /// Starts an upload of a file that can be resumed in a later run of the app.
    ///
    /// ```swift
    /// let upload = try await database.beginUpload(of: film)
    /// // Save `upload`. Then, now or in a later run:
    /// let asset = try await database.resume(upload, from: film)
    /// ```
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the file cannot be read; `limitExceeded` if the file is larger than
    ///   the server allows; `quotaExceeded` if the storage is full.
    public func beginUpload(
        of file: URL, contentType: String = "application/octet-stream", filename: String? = nil
    ) async throws -> ResumableUpload {
        try await beginUpload(
            length: try UploadSource.file(file).length(), contentType: contentType,
            filename: filename ?? file.lastPathComponent)
    }

    /// Sends the rest of an upload, from the offset that the server has stored. For a new upload, the offset is 0. For
    /// a complete upload, the call only returns the asset.
    ///
    /// - Parameters:
    ///   - upload: The upload that `beginUpload` returned in this or an earlier run of the app.
    ///   - file: The file that the upload was started with, unchanged.
    ///   - progress: A function that is called with the progress, on any thread.
    /// - Throws: `FogbaseError.notFound` if the upload has expired: start another one; `invalidArgument` if the file
    ///   has another length or cannot be read.
    public func resume(
        _ upload: ResumableUpload, from file: URL, progress: ProgressHandler? = nil
    ) async throws -> Asset {
        try await resume(upload, .file(file), progress)
    }

    /// Resumes an upload of bytes.
    ///
    /// - Throws: `FogbaseError.notFound` if the upload has expired: start another one; `invalidArgument` if the data
    ///   has another length.
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

    /// Cancels an upload and deletes its bytes on the server. The call also succeeds if the upload does not exist.
    ///
    /// - Throws: `FogbaseError` if the server did not confirm the deletion.
    public func abandon(_ upload: ResumableUpload) async throws {
        var call = Self.call("DELETE", upload)
        call.isRepeatable = true
        do {
            _ = try await connection.send(call)
        } catch FogbaseError.notFound {
            // The upload does not exist.
        } catch FogbaseError.tokenExpired {
            // The upload has expired.
        }
    }

    // MARK: Parts

    /// Sends the rest of an upload.
    ///
    /// After a lost response, the client asks the server for the stored offset and continues there.
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
                // Progress resets the count of failures, so the connection can fail any number of times.
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

    /// Sends one part.
    ///
    /// - Returns: The offset of the next part.
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
            // Repeat the request with GET, because a response to HEAD has no body with the error.
            var call = Self.call("GET", upload)
            call.fields = []
            let response = try await connection.send(call)
            guard let offset = try response.readTree()["offset"]?.integer else { throw response.missingUpload }
            return offset
        }
    }

    /// The timeout of an upload request. On a slow connection, a part takes longer than other requests.
    private static var uploadTimeout: Duration { .seconds(120) }

    private static func call(_ method: String, _ upload: ResumableUpload) -> Call {
        var call = Call(method)
        call.address = upload.address
        call.fields = [("Tus-Resumable", "1.0.0")]
        return call
    }

    private static func offset(_ response: TransportResponse, of upload: ResumableUpload) throws -> Int64 {
        guard let offset = response.fields["upload-offset"].flatMap({ Int64($0) }), 0...upload.length ~= offset else {
            throw response.missingUpload
        }
        return offset
    }

    private static func asset(_ response: TransportResponse) throws -> Asset {
        guard let tree = try response.readTree()["asset"], let asset = Asset(tree) else { throw response.missingUpload }
        return asset
    }
}

extension TransportResponse {
    fileprivate var missingUpload: FogbaseError {
        .notFogbase(status: status, "The response to the upload is no JSON with an asset")
    }
}

extension Asset {
    /// Reads the response to an upload.
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
