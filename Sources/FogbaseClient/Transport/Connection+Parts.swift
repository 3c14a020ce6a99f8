extension Connection {
    /// Reads the limits of the server.
    func limits() async throws -> ServerLimits {
        var call = Call("GET")
        // They are those of all containers.
        call.address = "/limits"
        call.needsToken = false
        let limits = try ServerLimits(try await send(call))
        await known.remember(RequestSizes(limits))
        return limits
    }

    /// The sizes of the server, asked for if nobody has asked before.
    func sizes() async throws -> RequestSizes {
        if let sizes = await known.sizes { return sizes }
        return RequestSizes(try await limits())
    }

    /// Sends what may be too much for one request in as few as the server takes.
    ///
    /// What most servers take at once is sent without a question. The server is asked for its limits, once, where there is
    /// more, or where it refuses what was sent; what somebody before it refuses, such as a proxy, is halved.
    ///
    /// - Parameters:
    ///   - room: How many elements, and how many bytes of them, a request has room for.
    ///   - bytes: How many bytes an element takes.
    ///   - send: Sends a part that is not empty.
    func sendInParts<Element>(
        _ elements: [Element], room: (RequestSizes) -> (count: Int, bytes: Int), bytes: (Element) -> Int,
        send: (ArraySlice<Element>) async throws -> Void
    ) async throws {
        /// As many of the first elements as go into one request, and one at least.
        func part(_ rest: ArraySlice<Element>, _ sizes: RequestSizes, _ most: Int) -> ArraySlice<Element> {
            let room = room(sizes)
            var left = room.bytes
            let count = rest.prefix(min(room.count, most)).prefix { element in
                left -= bytes(element)
                return left >= 0
            }.count
            return rest.prefix(max(1, count))
        }
        var rest = elements[...]
        var sizes = await known.sizes ?? .usual
        var mayAsk = true
        var most = Int.max
        if await known.sizes == nil, part(rest, sizes, most).count < rest.count {
            mayAsk = false
            sizes = try await self.sizes()
        }
        while !rest.isEmpty {
            let sent = part(rest, sizes, most)
            do {
                try await send(sent)
                rest = rest.dropFirst(sent.count)
            } catch let error as FogbaseError where error.isOfSize && sent.count > 1 {
                if mayAsk {
                    // Known ones may be those of before its last start.
                    mayAsk = false
                    sizes = RequestSizes(try await limits())
                    if part(rest, sizes, most).count < sent.count { continue }
                }
                most = sent.count / 2
            }
        }
    }
}

extension FogbaseError {
    /// Whether a request was refused because it is too large, or asks for too many at once.
    var isOfSize: Bool {
        switch self {
        case .limitExceeded(let refusal): refusal.status == 413
        case .notFogbase(let status, _): status == 413
        case .badRequest(let refusal): refusal.details["path"] == "limit"
        default: false
        }
    }
}
