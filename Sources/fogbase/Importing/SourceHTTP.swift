import CloudKitImport
import Cryptography
import Glibc
import HTTPSending
import RecordEngine

/// Sends the requests of an import over HTTP.
struct SourceHTTP: SourceTransport {
    /// Scheme, host and port of the source.
    private let origin: String
    /// For the source, whose address the operator has chosen, wherever it is.
    private let own: HTTPSender
    /// For the URLs in responses of the source. They must not lead into the network of this machine.
    private let others: HTTPSender
    /// The directory for downloaded files.
    private let directory: String

    private static let tokenField = "x-apple-cloudkit-web-auth-token"
    private static let typeField = "content-type"
    /// The longest URL. Those of assets are signed, and longer than others.
    private static let longestURL = 16_384

    /// - Parameters:
    ///   - url: The URL of the source.
    ///   - directory: The directory for downloaded files.
    init(_ url: String, directory: String) {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        origin = String(url[..<(url[start...].firstIndex(of: "/") ?? url.endIndex)])
        self.directory = directory
        var limits = SendingLimits()
        limits.connectMilliseconds = 30_000
        limits.totalMilliseconds = nil
        limits.idleSeconds = 60
        limits.requests = 16
        limits.keptBytes = 64 << 20
        limits.bodyBytes = 64 << 20
        let agent = "Fogbase/\(Version.text)"
        own = HTTPSender(.anywhere, limits: limits, agent: agent, threadName: "fog-import")
        others = HTTPSender(AddressPolicy(), limits: limits, agent: agent, threadName: "fog-import-files")
    }

    /// Ends all requests at once. They fail as interrupted.
    func close() async {
        await own.close()
        await others.close()
    }

    func send(_ request: SourceRequest) async throws(TransportFailure) -> SourceResponse {
        let query = request.query.map { "\($0.name)=\(PathSegment.encode($0.value))" }.joined(separator: "&")
        let url = try Self.url(origin + request.path + (query.isEmpty ? "" : "?" + query))
        let fields = request.fields.map { ($0.name, $0.value) }
        var outgoing =
            request.body.map { OutgoingRequest(to: url, fields: fields, body: $0) }
            ?? OutgoingRequest(getting: url, fields: fields)
        outgoing.keptFields = [Self.tokenField]
        let response = try await send(outgoing, on: own)
        guard !response.isTruncated else { throw .tooLarge }
        return SourceResponse(
            status: response.status, body: response.body, retryAfter: response.retryAfter,
            webAuthToken: response.fields[Self.tokenField])
    }

    func download(_ url: String, as name: String, upTo size: Int64?) async throws(TransportFailure) -> Download {
        let isOwn = url.hasPrefix("/") || url.hasPrefix(origin + "/")
        let path = directory + "/" + name
        var outgoing = OutgoingRequest(
            getting: try Self.url(url.hasPrefix("/") ? origin + url : url), into: path, mostBytes: size)
        outgoing.keptFields = [Self.typeField]
        let response = try await send(outgoing, on: isOwn ? own : others)
        guard response.status == 200, !response.isTruncated else {
            unlink(path)
            if response.isTruncated, response.status == 200 { throw .tooLarge }
            return .status(response.status, retryAfter: response.retryAfter)
        }
        guard let (size, digest) = FileDigest.read(path) else {
            throw .failed("the file \(path) cannot be read: \(SystemError.text)")
        }
        // Parameters, such as a character set, are those of the transfer.
        let type = response.fields[Self.typeField].map { String($0.prefix { $0 != ";" }.trimmed) }
        return .file(StagedFile(path: path, size: size, digest: digest, contentType: type))
    }

    func discard(_ file: StagedFile) {
        unlink(file.path)
    }

    private func send(
        _ request: OutgoingRequest, on sender: HTTPSender
    ) async throws(TransportFailure) -> IncomingResponse {
        do throws(SendingFailure) {
            return try await sender.send(request)
        } catch {
            switch error {
            case .closed: throw .interrupted
            case .notAllowed: throw .failed("the address of \(request.url.host) is not public")
            case .failed(let reason): throw .failed(reason)
            }
        }
    }

    private static func url(_ text: String) throws(TransportFailure) -> OutgoingURL {
        do throws(OutgoingURL.Problem) {
            return try OutgoingURL(text, maxBytes: longestURL)
        } catch {
            throw .failed(error.reason)
        }
    }
}

/// The size and the SHA-256 of a file.
enum FileDigest {
    /// Returns the size, and the digest in base64; `nil` if the file cannot be read.
    static func read(_ path: String) -> (size: Int64, digest: String)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let hasher = SHA256Hasher()
        var size: Int64 = 0
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return (size, hasher.finalize().base64) }
            size += Int64(count)
            piece.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
