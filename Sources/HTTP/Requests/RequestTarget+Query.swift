extension RequestTarget {
    /// Returns the first value of a query parameter, decoded; a plus sign becomes a space. Returns `nil` if the
    /// parameter is absent or cannot be decoded.
    public func query(_ name: String) -> String? {
        var found: String?
        forEachQueryItem { key, value in
            guard PercentCoding.decode(key, plusIsSpace: true) == name else { return true }
            found = PercentCoding.decode(value, plusIsSpace: true)
            return false
        }
        return found
    }

    /// Returns all decodable values of a query parameter, in order.
    public func queryValues(_ name: String) -> [String] {
        var values: [String] = []
        forEachQueryItem { key, value in
            if PercentCoding.decode(key, plusIsSpace: true) == name,
                let text = PercentCoding.decode(value, plusIsSpace: true)
            {
                values.append(text)
            }
            return true
        }
        return values
    }

    /// All query parameters in order; empty without a query. A parameter without `=` has an empty value. `nil` if at
    /// least one parameter has a malformed escape, a NUL or bytes that are not UTF-8.
    public var queryItems: [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        var isWellFormed = true
        forEachQueryItem { key, value in
            if let name = PercentCoding.decode(key, plusIsSpace: true),
                let text = PercentCoding.decode(value, plusIsSpace: true)
            {
                items.append((name, text))
            } else {
                isWellFormed = false
            }
            return isWellFormed
        }
        return isWellFormed ? items : nil
    }

    /// Calls `body` for each query parameter.
    ///
    /// - Parameter body: Receives a raw name and a raw value, and returns whether to continue.
    private func forEachQueryItem(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) {
        withQuery { query in
            var start = 0
            while start < query.count {
                var end = start
                var equals: Int?
                while end < query.count, query[end] != UInt8(ascii: "&") {
                    if equals == nil, query[end] == UInt8(ascii: "=") { equals = end }
                    end += 1
                }
                if end > start {
                    let nameEnd = equals ?? end
                    let value = query.part(equals.map { $0 + 1 } ?? end, end)
                    guard body(query.part(start, nameEnd), value) else { return }
                }
                start = end + 1
            }
        }
    }
}
