extension Connection {
    /// Fetches the limits of the server and caches the request sizes.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the response is not from a Fogbase server.
    func limits() async throws -> ServerLimits {
        var call = Call("GET")
        // The limits are the same for all containers.
        call.address = "/limits"
        call.needsToken = false
        let limits = try ServerLimits(try await send(call))
        await known.remember(RequestSizes(limits))
        return limits
    }

    /// Returns the server's request sizes, from the cache if possible.
    ///
    /// - Throws: The errors of `limits()`.
    func sizes() async throws -> RequestSizes {
        if let sizes = await known.sizes { return sizes }
        return RequestSizes(try await limits())
    }

    /// Sends elements in as few requests as the server's limits allow.
    ///
    /// If all elements fit into a request of default size, the limits are not fetched. Otherwise, and after a rejected
    /// request, the server's limits are fetched once. If a request is still too large, for example for a proxy, the
    /// request is halved.
    ///
    /// - Parameters:
    ///   - room: The maximum number of elements in a request, and the maximum number of their bytes.
    ///   - bytes: The size of an element, in bytes.
    ///   - send: A function that sends some of the elements, at least one, in one request.
    /// - Throws: The errors of `send` and `limits()`.
    func sendInParts<Element>(
        _ elements: [Element], room: (RequestSizes) -> (count: Int, bytes: Int), bytes: (Element) -> Int,
        send: (ArraySlice<Element>) async throws -> Void
    ) async throws {
        /// Returns the first elements that fit into one request, at least one.
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
                    // Cached sizes may be outdated after a restart of the server.
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
    /// Whether the request was rejected because its body or the requested page is too large.
    var isOfSize: Bool {
        switch self {
        case .limitExceeded(let rejection): rejection.status == 413
        case .notFogbase(let status, _): status == 413
        case .badRequest(let rejection): rejection.details["path"] == "limit"
        default: false
        }
    }
}
