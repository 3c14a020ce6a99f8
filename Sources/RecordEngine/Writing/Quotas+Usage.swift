package import RecordModel

/// Whose quota is asked, from where the caller stands: that decides what it is told.
enum QuotaView {
    /// An account's own: it learns how much it has.
    case ofCaller
    /// An account's, to an administrator.
    case ofUser
    /// Another account's, whose record the caller writes: what that has elsewhere is not the caller's to know.
    case ofStranger
    /// What everybody has together.
    case ofAll
}

extension Quotas.Amounts {
    /// - Throws: QUOTA_EXCEEDED if a change adds to what is too much with it. One that makes less is always allowed.
    func check(_ usage: Usage, _ change: Usage, _ view: QuotaView) throws(RecordError) {
        try check(usage.records, change.records, records, "records", view) { $0.records }
        try check(usage.bytes, change.bytes, bytes, "bytes", view) { $0.bytes }
        try check(usage.assetBytes, change.assetBytes, assetBytes, "assetBytes", view) { $0.assetBytes }
    }

    private func check(
        _ used: Int64, _ added: Int64, _ limit: Int, _ name: String, _ view: QuotaView,
        _ amount: (Usage) -> Int64
    ) throws(RecordError) {
        guard limit > 0, added > 0, used + added > Int64(limit) else { return }
        let owner = if case .ofAll = view { "container" } else { "user" }
        var error = RecordError(
            .quotaExceeded, "", cause: .tooLarge, details: [("quota", .text("\(owner).\(name)"))])
        switch view {
        case .ofAll: error.reason = "There is no room for more. Ask the operator"
        case .ofStranger: error.reason = "There is no room for more in the records of this one's owner"
        case .ofCaller, .ofUser:
            var usage = Usage(records: used, bytes: used, assetBytes: used)
            error.reason = "The account's records take as much as they may"
            if case .ofCaller = view {
                error.reason = "Your records take as much as they may. Delete some, or ask the operator for more room"
                usage = usage.rounded
            }
            error.details += [("used", .number(amount(usage))), ("limit", .number(Int64(limit)))]
        }
        throw error
    }
}

extension Usage {
    /// As an account sees its own: bytes in whole KiB, rounded up. What its records take moves with fields that others
    /// write and it does not read.
    package var rounded: Usage {
        func rounded(_ bytes: Int64) -> Int64 { (bytes + 1_023) / 1_024 * 1_024 }
        return Usage(records: records, bytes: rounded(bytes), assetBytes: rounded(assetBytes))
    }
}
