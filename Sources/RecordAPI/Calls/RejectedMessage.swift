internal import HTTP
internal import RecordWire
internal import Threads

/// An HTTP message that was rejected before it became a request.
struct RejectedMessage: Sendable {
    private let rejection: HTTPRejection
    /// What is known of the message.
    private let request: HTTPRequest
    private let api: RecordAPI

    init(_ rejection: HTTPRejection, _ request: HTTPRequest, _ api: RecordAPI) {
        self.rejection = rejection
        self.request = request
        self.api = api
    }

    /// Returns the response, and logs it as that of a request.
    func respond(in context: RecordAPIContext) async -> HTTPResponse {
        let start = api.requests.isOn ? MonotonicClock.now : 0
        var note = RequestNote(request)
        let response: HTTPResponse
        if CloudKitRouteTable.owns(request.target) {
            note.isPrivate = false
            response = await respondToCloudKit(in: context)
        } else {
            if request.target.mayNamePrivateDatabase { note.isPrivate = true }
            response = AssetRoutes.opening(
                api.errorResponse(rejection, id: request.id), to: request, allow: [.get, .head])
        }
        // A preflight may be granted.
        if response.status.code >= 400 { note.error(RecordAPI.error(of: rejection)) }
        if api.requests.isOn { api.requests.add(request, response, note, since: start, to: context.requests) }
        return response
    }

    /// Returns the response for a path of CloudKit Web Services, on a thread where readers may block.
    private func respondToCloudKit(in loop: RecordAPIContext) async -> HTTPResponse {
        guard let worker = loop.worker() else { return await respondOnThisThread(in: loop) }
        return await withTaskExecutorPreference(worker.executor) {
            defer { worker.context.loopWillBlock() }
            return await respondOnThisThread(in: worker.context)
        }
    }

    private func respondOnThisThread(in context: RecordAPIContext) async -> HTTPResponse {
        var exchange = CloudKitExchange(request)
        let id = CloudKitUUID.text(ofRequest: request.id)
        var response = await exchange.reject(in: context) { api.errorResponse(rejection, id: id) }
        exchange.finish(&response)
        return response
    }
}
