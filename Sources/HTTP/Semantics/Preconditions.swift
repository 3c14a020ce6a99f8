/// Conditional requests (RFC 9110 §13).
public enum Preconditions {
    public enum Outcome: Hashable, Sendable {
        /// Do what the request asks.
        case proceed
        /// 304: the client's copy is current.
        case notModified
        /// 412.
        case failed
        /// 400: a condition on entity tags that is no such list.
        case malformed
    }

    /// Judges a request's conditions in the order of RFC 9110 §13.2.2. If-Range is judged apart, by `rangeApplies`.
    ///
    /// - Parameters:
    ///   - entityTag: Of the current representation; `nil` if there is none, or if it has no tag.
    ///   - lastModified: Seconds since 1970; `nil` if it is not known, and then conditions on dates are ignored.
    ///   - exists: Whether there is a current representation, which is what `*` asks.
    public static func evaluate(
        _ fields: HTTPFields, method: HTTPMethod, entityTag: EntityTag?, lastModified: Int64? = nil,
        exists: Bool = true
    ) -> Outcome {
        let reads = method == .get || method == .head
        if let condition = EntityTagCondition.ifMatch(fields) {
            guard condition != .malformed else { return .malformed }
            // RFC 9110 §13.1.1 demands the strong comparison. But proxies that compress make the server's own tag weak (nginx), and
            // a write that names it means the very state that was read: the server gives no weak tags itself.
            guard exists, holds(condition, entityTag, { $0.matchesWeak($1) }) else { return .failed }
        } else if let lastModified, let date = date(.ifUnmodifiedSince, fields), lastModified > date {
            return .failed
        }
        if let condition = EntityTagCondition.ifNoneMatch(fields) {
            guard condition != .malformed else { return .malformed }
            if exists, holds(condition, entityTag, { $0.matchesWeak($1) }) { return reads ? .notModified : .failed }
        } else if reads, let lastModified, let date = date(.ifModifiedSince, fields), lastModified <= date {
            return .notModified
        }
        return .proceed
    }

    /// Whether a Range field is to be honoured: there is no If-Range, or what it names is the current representation
    /// (RFC 9110 §13.1.5: by the strong comparison, or by the exact date).
    public static func rangeApplies(_ fields: HTTPFields, entityTag: EntityTag?, lastModified: Int64? = nil) -> Bool {
        guard fields.count(of: .ifRange) <= 1 else { return false }
        guard let value = fields[.ifRange] else { return true }
        if let tag = EntityTag(value) { return entityTag.map { $0.matchesStrong(tag) } ?? false }
        guard let lastModified, let date = HTTPDate.parse(value) else { return false }
        return lastModified == date
    }

    private static func holds(
        _ condition: EntityTagCondition, _ tag: EntityTag?, _ same: (EntityTagCondition, EntityTag) -> Bool
    ) -> Bool {
        if let tag { same(condition, tag) } else { condition == .any }
    }

    /// A date that cannot be parsed, or that is there twice, is ignored (RFC 9110 §13.1.3, §13.1.4).
    private static func date(_ name: HTTPFieldName, _ fields: HTTPFields) -> Int64? {
        guard fields.count(of: name) == 1 else { return nil }
        return fields[name].flatMap { HTTPDate.parse($0) }
    }
}
