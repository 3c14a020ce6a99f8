internal import RecordModel

/// Whose quota it is.
enum QuotaOwner: String {
    case user, container
}

extension Quotas {
    /// - Throws: QUOTA_EXCEEDED if a change adds to what is too much with it. One that makes less is always allowed.
    func check(_ usage: Usage, _ change: Usage, of owner: QuotaOwner) throws(RecordError) {
        let limit = owner == .user ? user : container
        try Self.check(usage.records, change.records, limit.records, "records", owner)
        try Self.check(usage.bytes, change.bytes, limit.bytes, "bytes", owner)
        try Self.check(usage.assetBytes, change.assetBytes, limit.assetBytes, "assetBytes", owner)
    }

    private static func check(
        _ used: Int64, _ added: Int64, _ limit: Int64, _ name: String, _ owner: QuotaOwner
    ) throws(RecordError) {
        guard limit > 0, added > 0, used + added > limit else { return }
        var details: [(key: String, value: RecordError.Detail)] = [("quota", .text("\(owner.rawValue).\(name)"))]
        guard owner == .user else {
            // What others take is not this caller's to know.
            throw RecordError(
                .quotaExceeded, "There is no room for more. Ask the operator", cause: .tooLarge, details: details)
        }
        details += [("used", .number(used)), ("limit", .number(limit))]
        throw RecordError(
            .quotaExceeded, "Your records take as much as they may. Delete some, or ask the operator for more room",
            cause: .tooLarge, details: details)
    }
}
