import HTTP
import Sockets
import Threads

/// From a head to its answer.
extension HTTPConnection {
    /// Answers one request; `false` ends the connection.
    func answer(_ head: RequestHead) async -> Bool {
        let start = MonotonicClock.now
        let sentBefore = sentBytes + output.count - outputStart
        let id = server.requestIDs.id(for: head.fields)
        var reader: BodyReader?
        var reserved = 0
        let body: HTTPRequestBody
        switch head.framing {
        case .none, .length(0):
            body = .empty
        case .length(let length)
        where length <= min(pendingCount, server.configuration.maxEagerBodyBytes)
            && !head.fields.contains(.contentEncoding):
            guard server.budget.reserve(length) else {
                await refuse(HTTPRefusal(.serviceUnavailable, "Too many request bodies are in flight."), id: id)
                return false
            }
            reserved = length
            body = .bytes(takePending(length))
        case .length, .chunked:
            let new = BodyReader(self, head)
            reader = new
            body = .stream(new)
        }
        let request = makeRequest(head, body, id)
        mayProbe = head.version == .http11 && reader == nil
        probeAtEndOfTurn()
        var response = await respond(to: request)
        mayProbe = false
        if let reader { prepareForUnread(reader, under: response) }
        server.configuration.cors.apply(to: &response, for: request)
        let keepsAlive = head.keepsAlive && !response.closesConnection && !isLastAnswer
        let isSent = await send(&response, to: request, version: head.version, keepsAlive: keepsAlive, id: id)
        server.budget.release(reserved)
        let bodyBytes = reader?.receivedBytes ?? reserved
        let isReusable = isSent ? await leave(reader, keepsAlive: keepsAlive && !mustClose) : false
        reader?.end()
        let end = MonotonicClock.now
        didAnswer(from: start, to: end)
        let summary = HTTPRequestSummary(
            method: head.method, route: response.route, status: response.status,
            nanoseconds: end - start, requestBytes: bodyBytes,
            responseBytes: sentBytes + output.count - outputStart - sentBefore)
        account(
            summary, id: id, path: loggedPath(of: response, to: head.target.rawPath), client: request.remoteAddress)
        return isReusable
    }

    private func loggedPath(of response: HTTPResponse, to path: String) -> String {
        if response.hidesPath { return response.pattern }
        guard let secret = server.configuration.secretPaths.first(where: path.hasPrefix) else { return path }
        return secret + "*"
    }

    /// The request, as the client's whom a trusted proxy names, else as the peer's.
    private func makeRequest(_ head: RequestHead, _ body: HTTPRequestBody, _ id: String) -> HTTPRequest {
        let proxies = server.configuration.trustedProxies
        var client = (text: peer, address: peerAddress)
        if !proxies.isEmpty, let named = proxies.client(of: head.fields, peer: peerAddress) {
            client = ("\(named)", named)
        }
        let base = server.configuration.basePath
        return HTTPRequest(
            method: head.method, target: base.isEmpty ? head.target : head.target.below(base), fields: head.fields,
            body: body, remoteAddress: client.text,
            client: client.address, id: id)
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        if request.method == .options, server.configuration.cors.isEnabled,
            let response = server.configuration.cors.preflight(request, allow: server.configuration.corsMethods)
        {
            return response
        }
        return await server.respond(request)
    }

    /// Takes a whole body off what is pending.
    private func takePending(_ count: Int) -> [UInt8] {
        if pendingStart == 0, count == pending.count {
            defer { pending = [] }
            return pending
        }
        let bytes = Array(pending[pendingStart..<pendingStart + count])
        consume(count)
        return bytes
    }

    // MARK: - Bodies that nobody read to their end

    /// Decides before the head of the answer is written whether the connection can outlive an unread body.
    private func prepareForUnread(_ reader: BodyReader, under response: HTTPResponse) {
        guard !reader.isFinished else { return }
        // A streamed answer may still be made from the body.
        if case .stream = response.body {} else { reader.discardPending() }
        if !reader.isFinished, !reader.isWorthDraining(within: server.configuration.maxDrainedBodyBytes) {
            mustClose = true
        }
    }

    /// Reads what is left of a body and says whether the connection can be used again.
    private func leave(_ reader: BodyReader?, keepsAlive: Bool) async -> Bool {
        guard let reader, !reader.isFinished else {
            // A client that has sent more, though this was the last answer, still gets to read it.
            if !keepsAlive, pendingCount > 0 { lingers = true }
            return keepsAlive
        }
        guard keepsAlive, await flush(), await reader.drain(atMost: server.configuration.maxDrainedBodyBytes) else {
            lingers = await flush()
            return false
        }
        return true
    }

    // MARK: - Refusals

    /// Answers what never became a request, and lets the connection end.
    func refuse(_ refusal: HTTPRefusal, id: String? = nil) async {
        let start = MonotonicClock.now
        let id = id ?? server.requestIDs.next()
        var response = server.refuse(refusal, id)
        mustClose = true
        lingers = true
        let sentBefore = sentBytes + output.count - outputStart
        _ = await send(&response, to: nil, version: .http11, keepsAlive: false, id: id)
        let isSent = await flush()
        lingers = isSent
        let summary = HTTPRequestSummary(
            method: .other("-"), route: response.route, status: response.status,
            nanoseconds: MonotonicClock.now - start, requestBytes: 0, responseBytes: sentBytes - sentBefore)
        account(summary, id: id, path: "-", client: peer)
    }

    private func account(
        _ summary: HTTPRequestSummary, id: String, path: @autoclosure () -> String, client: String
    ) {
        server.metrics.record(summary)
        server.didFinish(summary)
        if let log = server.configuration.accessLog, log.wants(summary) {
            log.record(summary, id: id, path: path(), peer: client)
        }
    }
}
