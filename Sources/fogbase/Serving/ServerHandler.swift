import HTTP
import HTTPTransport
import RecordAPI

/// Every request of the server: the console below `/_/`, everything else the interface's.
struct ServerHandler: HTTPHandler {
    let api: RecordAPI
    let console: Console?

    func makeLoopContext() throws -> RecordAPIContext {
        api.makeContext()
    }

    func respond(to request: HTTPRequest, in context: RecordAPIContext) async -> HTTPResponse {
        guard let console else { return await api.respond(to: request, in: context) }
        if request.target.segmentCount > 0, request.target.segmentEquals(0, "_") {
            if let response = await console.files?.respond(to: request) { return response }
        } else if request.target.rawPath == "/", request.method == .get || request.method == .head {
            return Self.redirect
        }
        return await api.respond(to: request, in: context)
    }

    func refusal(_ refusal: HTTPRefusal, id: String) -> HTTPResponse {
        api.refusal(refusal, id: id)
    }

    /// Who opens the server in a browser means the console.
    private static let redirect: HTTPResponse = {
        var response = HTTPResponse(.permanentRedirect, route: "GET /")
        response.fields.append(.location, literal: "/_/")
        return response
    }()
}
