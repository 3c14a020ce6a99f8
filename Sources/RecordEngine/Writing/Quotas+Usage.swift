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

extension Usage {
    /// - Throws: QUOTA_EXCEEDED if a change adds to what is above a limit with it. One that makes less is always allowed.
    func check(adding change: Usage, within limit: Usage, _ view: QuotaView) throws(RecordError) {
        try Self.check(records, change.records, limit.records, "records", view)
        let shown = if case .ofCaller = view { rounded } else { self }
        try Self.check(bytes, change.bytes, limit.bytes, "bytes", view, shown: shown.bytes)
        try Self.check(assetBytes, change.assetBytes, limit.assetBytes, "assetBytes", view, shown: shown.assetBytes)
    }

    /// - Parameter shown: What is told of `used`.
    private static func check(
        _ used: Int64, _ added: Int64, _ limit: Int64, _ name: String, _ view: QuotaView, shown: Int64? = nil
    ) throws(RecordError) {
        guard limit > 0, added > 0, used + added > limit else { return }
        let owner = if case .ofAll = view { "container" } else { "user" }
        var error = RecordError(
            .quotaExceeded, "", cause: .tooLarge, details: [("quota", .text("\(owner).\(name)"))])
        switch view {
        case .ofAll: error.reason = "There is no room for more. Ask the operator"
        case .ofStranger: error.reason = "There is no room for more in the records of this one's owner"
        case .ofCaller, .ofUser:
            error.reason =
                if case .ofCaller = view {
                    "Your records take as much as they may. Delete some, or ask the operator for more room"
                } else { "The account's records take as much as they may" }
            error.details += [("used", .number(shown ?? used)), ("limit", .number(limit))]
        }
        throw error
    }

    /// As an account sees its own: bytes in whole KiB, rounded up. What its records take moves with fields that others
    /// write and it does not read: not each byte is told without ado, though whoever adds bytes of its own can measure it.
    package var rounded: Usage {
        func rounded(_ bytes: Int64) -> Int64 { (bytes + 1_023) / 1_024 * 1_024 }
        return Usage(records: records, bytes: rounded(bytes), assetBytes: rounded(assetBytes))
    }
}
