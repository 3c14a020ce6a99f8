import HTTP
import Sockets
import Threads

/// The steps from a request head to its response.
extension HTTPConnection {
    /// Handles one request. Returns `false` if the connection must end.
    func respond(_ head: RequestHead) async -> Bool {
        let start = MonotonicClock.now
        let writtenBefore = writer.writtenBytes
        let id = server.requestIDs.id(for: head.fields)
        var reader: BodyReader?
        var reserved = 0
        let body: HTTPRequestBody
        switch head.framing {
        case .none, .length(0):
            body = .empty
        case .length(let length)
        where length <= min(input.count, server.configuration.maxEagerBodyBytes)
            && !head.fields.contains(.contentEncoding):
            guard server.budget.reserve(length) else {
                await reject(
                    HTTPRejection(.serviceUnavailable, "Too many request bodies are in flight."),
                    of: makeRequest(head, .empty, id))
                return false
            }
            reserved = length
            body = .bytes(input.take(length))
        case .length, .chunked:
            let new = BodyReader(self, head)
            reader = new
            body = .stream(new)
        }
        let request = makeRequest(head, body, id)
        writer.mayProbe = head.version == .http11 && reader == nil
        writer.probeAtEndOfTurn()
        var response = await respond(to: request)
        writer.mayProbe = false
        if let reader { prepareForUnread(reader, under: response) }
        if !response.ownsOrigins {
            server.configuration.cors.apply(to: &response, for: request)
            reportRejectedOrigin(of: request)
        }
        if socket.isEncrypted, let value = server.configuration.strictTransportSecurity {
            response.fields.append(.strictTransportSecurity, value)
        }
        await encode(&response, for: request)
        var keepsAlive = head.keepsAlive && !response.closesConnection && !isLastResponse
        let isStream = if case .events = response.body { true } else { false }
        // The duration of an event stream is how long its client stays, not how long the response takes.
        let untilHead = MonotonicClock.now - start
        let isSent = await writer.send(
            response, isHead: request.method == .head, version: head.version, keepsAlive: keepsAlive, id: id)
        // A streamed body without a length ends with the connection.
        if head.version == .http10, response.body.isOfUnknownLength { keepsAlive = false }
        let isFlushed = isSent ? await flushUnlessPipelined() : false
        server.budget.release(reserved)
        let bodyBytes = reader?.receivedBytes ?? reserved
        let isReusable = isFlushed ? await leave(reader, keepsAlive: keepsAlive) : false
        reader?.end()
        let summary = HTTPRequestSummary(
            method: head.method, route: response.route, status: response.status,
            nanoseconds: isStream ? untilHead : MonotonicClock.now - start, requestBytes: bodyBytes,
            responseBytes: writer.writtenBytes - writtenBefore)
        account(
            summary, id: id, path: loggedPath(of: response, to: head.target.rawPath), client: request.remoteAddress)
        return isReusable
    }

    private func loggedPath(of response: HTTPResponse, to path: String) -> String {
        if response.hidesPath { return response.pattern }
        return response.hasRoute ? path : server.configuration.loggedPath(path)
    }

    private func makeRequest(_ head: RequestHead, _ body: HTTPRequestBody, _ id: String) -> HTTPRequest {
        server.request(head.method, head.target, head.fields, body, from: (peer, peerAddress), id: id)
    }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        if request.method == .options, server.configuration.cors.isEnabled,
            !server.configuration.handlesOwnPreflights(request.target),
            let response = server.configuration.cors.preflight(request, allow: server.configuration.corsMethods)
        {
            return response
        }
        return await server.respond(request)
    }

    private func reportRejectedOrigin(of request: HTTPRequest) {
        guard request.fields.contains(.origin), let report = server.configuration.didRejectOrigin,
            let origin = server.configuration.cors.rejectedOrigin(of: request)
        else { return }
        report(origin)
    }

    // MARK: - Unread bodies

    /// Decides whether the connection can be reused after an unread body. Called before the head of the response is
    /// written.
    private func prepareForUnread(_ reader: BodyReader, under response: HTTPResponse) {
        guard !reader.isFinished else { return }
        // A streamed response may still read the request body.
        if case .stream = response.body {} else { reader.discardInput() }
        if !reader.isFinished, !reader.isWorthDraining(within: server.configuration.maxDrainedBodyBytes) {
            mustClose = true
        }
    }

    /// Reads and discards the rest of a request body. Returns whether the connection can be reused.
    private func leave(_ reader: BodyReader?, keepsAlive: Bool) async -> Bool {
        guard let reader, !reader.isFinished else {
            // The client has sent more data although this response is the last. A lingering close gives the client time
            // to read the response.
            if !keepsAlive, !input.isEmpty { lingers = true }
            return keepsAlive
        }
        guard keepsAlive, await writer.flush(),
            await reader.drain(atMost: server.configuration.maxDrainedBodyBytes)
        else {
            lingers = await writer.flush()
            return false
        }
        return true
    }

    // MARK: - Rejections

    /// Sends the response to invalid input that is not a request. The connection is closed afterwards.
    ///
    /// - Parameter known: The request; `nil` if its head is the invalid input.
    func reject(_ rejection: HTTPRejection, of known: HTTPRequest? = nil) async {
        let start = MonotonicClock.now
        mustClose = true
        let request: HTTPRequest
        if let known {
            request = known
        } else {
            let head = await readRejectedHead(waits: rejection.status != .requestTimeout)
            request = server.request(
                rejected: head, from: (peer, peerAddress), id: server.requestIDs.id(for: head.fields))
        }
        var response = await server.reject(rejection, request)
        if !response.ownsOrigins { admitOrigin(to: &response, of: rejection, request) }
        let writtenBefore = writer.writtenBytes
        _ = await writer.send(response, isHead: false, version: .http11, keepsAlive: false, id: request.id)
        lingers = await writer.flush()
        let summary = HTTPRequestSummary(
            method: .other("-"), route: response.route, status: response.status,
            nanoseconds: MonotonicClock.now - start, requestBytes: 0,
            responseBytes: writer.writtenBytes - writtenBefore)
        account(summary, id: request.id, path: "-", client: request.remoteAddress)
    }

    /// Lets the page read the rejection that has sent the request. A preflight of a request with a long target is
    /// granted, so that the page may send the request and then learns what is wrong with it.
    private func admitOrigin(
        to response: inout HTTPResponse, of rejection: HTTPRejection, _ request: HTTPRequest
    ) {
        let cors = server.configuration.cors
        if rejection.status == .uriTooLong, cors.isEnabled,
            let preflight = cors.preflight(request, allow: server.configuration.corsMethods)
        {
            response = preflight
        } else {
            cors.apply(to: &response, for: request)
        }
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
