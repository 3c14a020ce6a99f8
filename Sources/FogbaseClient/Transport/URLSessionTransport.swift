public import Foundation
#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests over the network with `URLSession`.
public struct URLSessionTransport: Transport {
    private let session: URLSession

    public init(configuration: URLSessionConfiguration = .ephemeral) {
        session = URLSession(configuration: configuration)
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        throw TransportError.unreachable("later")
    }

    public func stream(
        _ request: TransportRequest
    ) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        throw TransportError.unreachable("later")
    }
}
