/// What If-Match or If-None-Match asks (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Hashable, Sendable {
    /// `*`: any current representation.
    case any
    case tags([EntityTag])
    /// Neither `*` nor a list of quoted tags: to be answered with 400, since ignoring a condition on a write would
    /// overwrite what the client wanted to protect.
    case malformed

    /// The condition in If-Match, or `nil` if there is none.
    public static func ifMatch(_ fields: HTTPFields) -> EntityTagCondition? {
        condition(.ifMatch, fields)
    }

    /// The condition in If-None-Match, or `nil` if there is none.
    public static func ifNoneMatch(_ fields: HTTPFields) -> EntityTagCondition? {
        condition(.ifNoneMatch, fields)
    }

    /// Whether the condition names a current representation, by the strong comparison (If-Match).
    ///
    /// - Parameter tag: As it stands in an ETag field, with its quotes.
    public func matchesStrong(_ tag: String) -> Bool {
        matches(EntityTag(tag)) { $0.matchesStrong($1) }
    }

    /// Whether the condition names a current representation, by the weak comparison (If-None-Match).
    ///
    /// - Parameter tag: As it stands in an ETag field, with its quotes.
    public func matchesWeak(_ tag: String) -> Bool {
        matches(EntityTag(tag)) { $0.matchesWeak($1) }
    }

    /// Whether the condition names the current representation `tag`, by the strong comparison.
    public func matchesStrong(_ tag: EntityTag) -> Bool { matches(tag) { $0.matchesStrong($1) } }

    /// Whether the condition names the current representation `tag`, by the weak comparison.
    public func matchesWeak(_ tag: EntityTag) -> Bool { matches(tag) { $0.matchesWeak($1) } }

    private func matches(_ tag: EntityTag?, by same: (EntityTag, EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): if let tag { tags.contains { same($0, tag) } } else { false }
        case .malformed: false
        }
    }

    private static func condition(_ name: HTTPFieldName, _ fields: HTTPFields) -> EntityTagCondition? {
        var lines: [[UInt8]] = []
        fields.forEachValue(of: name) { lines.append(Array($0)) }
        guard !lines.isEmpty else { return nil }
        // Several lines are one list (RFC 9110 §5.3); `*` cannot be a member of it.
        if lines == [[UInt8(ascii: "*")]] { return .any }
        var tags: [EntityTag] = []
        for line in lines {
            guard scanList(line, into: &tags) else { return .malformed }
        }
        return tags.isEmpty ? .malformed : .tags(tags)
    }

    /// Takes a list apart; a comma may stand inside a tag. Empty elements are passed over.
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
