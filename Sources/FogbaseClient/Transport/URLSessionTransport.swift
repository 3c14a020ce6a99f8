public import Foundation
#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A transport over the network with `URLSession`.
///
/// All calls share the connections, which are kept alive. If all connections are in use, calls wait. Each stream of
/// events has a connection of its own. Cookies and caches are disabled, and redirects are not followed: the token is
/// sent only to the address that the app gave.
///
/// On Linux, two bugs of Swift 6.3 affect broken connections:
///
/// - If a connection closes while the head of a response is received, the program crashes (swift-corelibs-foundation,
///   issue 5285).
/// - If a kept-alive connection closes before a response has begun, libcurl repeats the request without the part of the
///   body that libcurl had already read. The repeated request fails at its timeout, and the client retries the call as
///   usual. For a part of a resumable upload, the server would store the truncated body, so each part uses a new
///   connection.
public struct URLSessionTransport: Transport {
    private let session: TransportSession
    private let configuration: URLSessionConfiguration

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: Settings for proxies, expensive networks and so on. The transport uses a copy with cookies,
    ///     caches and stored credentials turned off. `nil` uses an ephemeral configuration.
    ///   - connectionsPerHost: The maximum number of connections to a server.
    public init(configuration: URLSessionConfiguration? = nil, connectionsPerHost: Int = 8) {
        let own = configuration?.copy() as? URLSessionConfiguration ?? .ephemeral
        own.httpMaximumConnectionsPerHost = max(1, connectionsPerHost)
        own.httpCookieAcceptPolicy = .never
        own.httpShouldSetCookies = false
        own.httpCookieStorage = nil
        own.urlCache = nil
        own.urlCredentialStorage = nil
        own.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = TransportSession(own)
        self.configuration = own
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await session(for: request).start(request, collects: true).head()
    }

    public var streamsEvents: Bool { true }

    private func session(for request: TransportRequest) -> TransportSession {
        // A stream of events would keep a connection from the other calls.
        if request.isForEvents { return TransportSession(configuration) }
        #if canImport(FoundationNetworking)
            // A new session has no kept-alive connections, on which libcurl could send a truncated part.
            if request.fields.contains(where: { $0.name == TransportRequest.uploadOffset }) {
                return TransportSession(configuration)
            }
        #endif
        return session
    }

    public func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        let parts = ExchangeParts(try session(for: request).start(request, collects: false))
        return (try await parts.exchange.head(), AsyncThrowingStream { try await parts.exchange.nextPart() })
    }
}

/// A wrapper that cancels an exchange when its stream is released.
private final class ExchangeParts: Sendable {
    let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }
}
