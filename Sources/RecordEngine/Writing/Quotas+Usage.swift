package import RecordModel

/// The owner of a checked quota, relative to the caller. QUOTA_EXCEEDED shows different details to each.
enum QuotaAudience {
    /// The caller's own quota. The error shows the usage.
    case ofCaller
    /// The quota of an account, checked for an administrator.
    case ofUser
    /// The quota of another account, whose record the caller writes. The error does not reveal the usage.
    case ofStranger
    /// The quota of the whole container.
    case ofAll
}

extension Usage {
    /// Checks a change against a quota.
    ///
    /// - Throws: QUOTA_EXCEEDED if the change increases the records, bytes or asset bytes beyond their limit.
    ///   Reductions always pass.
    func check(adding change: Usage, within limit: Usage, _ view: QuotaAudience) throws(RecordError) {
        try Self.check(records, change.records, limit.records, "records", view)
        let shown = if case .ofCaller = view { rounded } else { self }
        try Self.check(bytes, change.bytes, limit.bytes, "bytes", view, shown: shown.bytes)
        try Self.check(assetBytes, change.assetBytes, limit.assetBytes, "assetBytes", view, shown: shown.assetBytes)
    }

    /// - Parameter shown: The usage to show in the error.
    private static func check(
        _ used: Int64, _ added: Int64, _ limit: Int64, _ name: String, _ view: QuotaAudience, shown: Int64? = nil
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

    /// The usage that the API shows to the account's owner: bytes rounded up to whole KiB. The exact size would reveal
    /// changes of fields that other callers write and the owner may not read. Rounding makes such a measurement harder,
    /// but not impossible: a caller can add bytes of its own.
    package var rounded: Usage {
        func rounded(_ bytes: Int64) -> Int64 { (bytes + 1_023) / 1_024 * 1_024 }
        return Usage(records: records, bytes: rounded(bytes), assetBytes: rounded(assetBytes))
    }
}
