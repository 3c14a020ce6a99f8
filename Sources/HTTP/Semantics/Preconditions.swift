/// Evaluates the preconditions of conditional requests (RFC 9110 §13).
public enum Preconditions {
    /// The result of evaluating the preconditions of a request.
    public enum Outcome: Hashable, Sendable {
        /// Process the request.
        case proceed
        /// Status 304: the client's copy is current.
        case notModified
        /// Status 412: at least one precondition failed.
        case failed
        /// Status 400: If-Match or If-None-Match is malformed.
        case malformed
    }

    /// Evaluates the preconditions of a request in the order of RFC 9110 §13.2.2, except If-Range; see `rangeApplies`.
    ///
    /// - Parameters:
    ///   - entityTag: The tag of the current representation; `nil` if there is no representation or no tag.
    ///   - lastModified: Seconds since 1970; `nil` if unknown. If `nil`, preconditions on dates are ignored.
    ///   - exists: Whether there is a current representation; `*` matches any current representation.
    public static func evaluate(
        _ fields: HTTPFields, method: HTTPMethod, entityTag: EntityTag?, lastModified: Int64? = nil,
        exists: Bool = true
    ) -> Outcome {
        let reads = method == .get || method == .head
        if let condition = EntityTagPrecondition.ifMatch(fields) {
            guard condition != .malformed else { return .malformed }
            // RFC 9110 §13.1.1 requires strong comparison. But proxies that compress responses make the server's tags
            // weak (nginx). The server itself sends no weak tags, so a weak tag in a write still identifies the exact
            // state that the client read.
            guard exists, holds(condition, entityTag, { $0.matchesWeak($1) }) else { return .failed }
        } else if let lastModified, let date = date(.ifUnmodifiedSince, fields), lastModified > date {
            return .failed
        }
        if let condition = EntityTagPrecondition.ifNoneMatch(fields) {
            guard condition != .malformed else { return .malformed }
            if exists, holds(condition, entityTag, { $0.matchesWeak($1) }) { return reads ? .notModified : .failed }
        } else if reads, let lastModified, let date = date(.ifModifiedSince, fields), lastModified <= date {
            return .notModified
        }
        return .proceed
    }

    /// Whether a Range field applies: If-Range is missing, or it matches the current representation. Tags use strong
    /// comparison; dates must be equal (RFC 9110 §13.1.5).
    public static func rangeApplies(_ fields: HTTPFields, entityTag: EntityTag?, lastModified: Int64? = nil) -> Bool {
        guard fields.count(of: .ifRange) <= 1 else { return false }
        guard let value = fields[.ifRange] else { return true }
        if let tag = EntityTag(value) { return entityTag.map { $0.matchesStrong(tag) } ?? false }
        guard let lastModified, let date = HTTPDate.parse(value) else { return false }
        return lastModified == date
    }

    private static func holds(
        _ condition: EntityTagPrecondition, _ tag: EntityTag?, _ same: (EntityTagPrecondition, EntityTag) -> Bool
    ) -> Bool {
        if let tag { same(condition, tag) } else { condition == .any }
    }

    /// Returns the date of a field. A malformed or repeated date is ignored (RFC 9110 §13.1.3, §13.1.4).
    private static func date(_ name: HTTPFieldName, _ fields: HTTPFields) -> Int64? {
        guard fields.count(of: name) == 1 else { return nil }
        return fields[name].flatMap { HTTPDate.parse($0) }
    }
}
