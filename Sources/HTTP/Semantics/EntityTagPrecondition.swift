/// The value of If-Match or If-None-Match (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagPrecondition: Hashable, Sendable {
    /// `*`: matches any current representation.
    case any
    case tags([EntityTag])
    /// Neither `*` nor a list of quoted tags. Send 400. If the server ignored the precondition of a write, the write
    /// would overwrite the state that the client wanted to protect.
    case malformed

    /// Returns the value of If-Match, or `nil` if the field is missing.
    public static func ifMatch(_ fields: HTTPFields) -> EntityTagPrecondition? {
        condition(.ifMatch, fields)
    }

    /// Returns the value of If-None-Match, or `nil` if the field is missing.
    public static func ifNoneMatch(_ fields: HTTPFields) -> EntityTagPrecondition? {
        condition(.ifNoneMatch, fields)
    }

    /// Whether the current representation matches, by strong comparison (If-Match).
    ///
    /// - Parameter tag: The tag as written in an ETag field, with its quotes.
    public func matchesStrong(_ tag: String) -> Bool {
        matches(EntityTag(tag)) { $0.matchesStrong($1) }
    }

    /// Whether the current representation matches, by weak comparison (If-None-Match).
    ///
    /// - Parameter tag: The tag as written in an ETag field, with its quotes.
    public func matchesWeak(_ tag: String) -> Bool {
        matches(EntityTag(tag)) { $0.matchesWeak($1) }
    }

    /// Whether the current representation `tag` matches, by strong comparison.
    public func matchesStrong(_ tag: EntityTag) -> Bool { matches(tag) { $0.matchesStrong($1) } }

    /// Whether the current representation `tag` matches, by weak comparison.
    public func matchesWeak(_ tag: EntityTag) -> Bool { matches(tag) { $0.matchesWeak($1) } }

    private func matches(_ tag: EntityTag?, by same: (EntityTag, EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): if let tag { tags.contains { same($0, tag) } } else { false }
        case .malformed: false
        }
    }

    private static func condition(_ name: HTTPFieldName, _ fields: HTTPFields) -> EntityTagPrecondition? {
        var lines: [[UInt8]] = []
        fields.forEachValue(of: name) { lines.append(Array($0)) }
        guard !lines.isEmpty else { return nil }
        // Several lines form one list (RFC 9110 §5.3); `*` cannot be an element of a list.
        if lines == [[UInt8(ascii: "*")]] { return .any }
        var tags: [EntityTag] = []
        for line in lines {
            guard scanList(line, into: &tags) else { return .malformed }
        }
        return tags.isEmpty ? .malformed : .tags(tags)
    }

    /// Parses a list whose tags may contain commas. Empty elements are skipped.
    private static func scanList(_ line: [UInt8], into tags: inout [EntityTag]) -> Bool {
        var rest = line[...]
        var expectsComma = false
        while let first = rest.first {
            if first.isBlank {
                rest = rest.dropFirst()
            } else if first == UInt8(ascii: ",") {
                expectsComma = false
                rest = rest.dropFirst()
            } else {
                guard !expectsComma, let tag = EntityTag.scan(&rest) else { return false }
                tags.append(tag)
                expectsComma = true
            }
        }
        return true
    }
}
