internal import RecordModel

/// Whose quota it is.
enum QuotaOwner: String {
    case user, container
}

extension Quotas.Amounts {
    /// - Throws: QUOTA_EXCEEDED if a change adds to what is too much with it. One that makes less is always allowed.
    func check(_ usage: Usage, _ change: Usage, of owner: QuotaOwner) throws(RecordError) {
        try check(usage.records, change.records, records, "records", owner)
        try check(usage.bytes, change.bytes, bytes, "bytes", owner)
        try check(usage.assetBytes, change.assetBytes, assetBytes, "assetBytes", owner)
    }

    private func check(
        _ used: Int64, _ added: Int64, _ limit: Int, _ name: String, _ owner: QuotaOwner
    ) throws(RecordError) {
        guard limit > 0, added > 0, used + added > Int64(limit) else { return }
        var details: [(key: String, value: RecordError.Detail)] = [("quota", .text("\(owner.rawValue).\(name)"))]
        guard owner == .user else {
            // What others take is not this caller's to know.
            throw RecordError(
                .quotaExceeded, "There is no room for more. Ask the operator", cause: .tooLarge, details: details)
        }
        details += [("used", .number(used)), ("limit", .number(Int64(limit)))]
        throw RecordError(
            .quotaExceeded, "Your records take as much as they may. Delete some, or ask the operator for more room",
            cause: .tooLarge, details: details)
    }
}
