public import Foundation
#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests over the network with `URLSession`.
///
/// Connections are kept and shared by all calls; calls beyond their number wait for one. There are no cookies and no cache,
/// and a redirect is an answer: a token goes to the address that the app has named and nowhere else.
///
/// On Linux, two faults of Swift 6.3 show where connections break. One that is closed within the head of an answer ends the
/// program (swift-corelibs-foundation, issue 5285). Where a kept connection ends before an answer has begun, libcurl sends
/// the request again without what it had read of the body, so that the call takes as long as its timeout; then it is tried
/// again as others are. Of a part of a large file the server would keep what has come, so each has a connection of its own.
public struct URLSessionTransport: Transport {
    private let session: TransportSession
    #if canImport(FoundationNetworking)
        private let configuration: URLSessionConfiguration
    #endif

    /// - Parameters:
    ///   - configuration: For proxies, networks that cost, and the like; cookies, caches and stored credentials are turned
    ///     off in it. `nil` is an ephemeral one.
    ///   - connectionsPerHost: How many connections to a server there are at most.
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
        #if canImport(FoundationNetworking)
            self.configuration = own
        #endif
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await session(for: request).start(request, collects: true).head()
    }

    private func session(for request: TransportRequest) -> TransportSession {
        #if canImport(FoundationNetworking)
            // A new session has no kept connections, on which libcurl would send the rest of the part as if it were all of it.
            if request.fields.contains(where: { $0.name == TransportRequest.uploadOffset }) {
                return TransportSession(configuration)
            }
        #endif
        return session
    }

    public func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        let parts = ExchangeParts(try session.start(request, collects: false))
        return (try await parts.exchange.head(), AsyncThrowingStream { try await parts.exchange.nextPart() })
    }
}

/// Ends an exchange when nobody reads its parts any more.
private final class ExchangeParts: Sendable {
    let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }
}
