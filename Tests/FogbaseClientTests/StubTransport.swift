import FogbaseClient
import Foundation

/// Gives the same response to all requests, and counts.
actor StubTransport: Transport {
    private let response: TransportResponse
    private(set) var count = 0

    init(_ status: Int, _ body: String) {
        response = TransportResponse(status: status, fields: ["x-request-id": "r1"], body: Data(body.utf8))
    }

    func send(_ request: TransportRequest) -> TransportResponse {
        count += 1
        return response
    }

    func stream(_ request: TransportRequest) -> (TransportResponse, AsyncThrowingStream<Data, any Error>) {
        count += 1
        var head = response
        head.body = Data()
        let body = response.body
        return (
            head,
            AsyncThrowingStream {
                $0.yield(body)
                $0.finish()
            }
        )
    }
}
