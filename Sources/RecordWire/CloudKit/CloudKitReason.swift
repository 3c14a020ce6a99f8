package import RecordModel

/// The texts of `reason` that clients of CloudKit know, word for word (observed in live responses and in the native
/// SDK).
package enum CloudKitReason {
    /// A request needs a user and has none.
    package static let userNeeded = "request needs authorization"
    /// JSON that is malformed or has another shape than the operation takes.
    package static let unexpectedInput = "BadRequestException: Unexpected input"
    /// A change feed of a default zone.
    package static let changesInDefaultZone = "cannot get changes in default zone"
    /// A sync token of another kind, or not of this server. CloudKit has another text for a token that was cut off.
    package static let unknownContinuation = "Unknown sync continuation type"
    /// A `create` of a record that exists.
    package static let recordExists = "record to insert already exists"
    /// A write with an old change tag.
    package static let recordChanged = "record to update already exists with a different change tag"
    /// A write with a change tag of a record that does not exist.
    package static let taggedRecordMissing = "recordChangeTag specified, but record not found"
    /// A share of a record that does not exist.
    package static let shareMissing = "Cannot share - no such record exists to share"
    /// An encrypted value in the public database.
    package static let encryptedInPublic = "encrypted fields are not supported in the public database"
    /// An encrypted value in a field that is not encrypted.
    package static let encryptedIntoPlain = "Attempt to save encrypted data in non encrypted field type"
    /// A zone that does not exist.
    package static let zoneNotFound = "Zone not found"
    /// An operation of an atomic batch of which another operation failed.
    package static let batchFailed = "batch failed"

    /// An action on a record for which the caller lacks the permission.
    package static func notPermitted(_ action: Action) -> String {
        switch action {
        case .create: "CREATE operation not permitted"
        case .read: "READ operation not permitted"
        case .write: "WRITE operation not permitted"
        }
    }

    /// A value whose JSON does not fit the type of its field.
    package static func invalidValue(expected type: String) -> String { "Invalid value, expected type \(type)." }
}

extension RecordError {
    /// Returns the error as CloudKit states it: one of its codes and, where clients rely on them, its words. Details
    /// and the server's record are left out.
    ///
    /// - Parameter hasTag: Whether the error is the result of an operation with a change tag.
    package func asCloudKit(hasTag: Bool = false) -> RecordError {
        let (code, reason) = cloudKitWords(hasTag: hasTag)
        let mayRetry = code == .throttled || code == .tryAgainLater
        return RecordError(code, reason, retryAfter: mayRetry ? retryAfter : nil)
    }

    private func cloudKitWords(hasTag: Bool) -> (Code, String) {
        switch (code, cause) {
        // CloudKit reports a record that exists like one that has changed.
        case (.exists, nil): (.conflict, CloudKitReason.recordExists)
        case (.conflict, .preconditionFailed?): (.conflict, CloudKitReason.recordChanged)
        case (.notFound, _) where hasTag && self == .recordNotFound: (.notFound, CloudKitReason.taggedRecordMissing)
        case (.zoneNotFound, _): (.zoneNotFound, CloudKitReason.zoneNotFound)
        case (.atomicError, _): (.atomicError, CloudKitReason.batchFailed)
        case (.authenticationRequired, _): (.authenticationRequired, CloudKitReason.userNeeded)
        case (.accessDenied, _): (.accessDenied, deniedAction.map(CloudKitReason.notPermitted) ?? reason)
        case (.badRequest, .malformedJSON?): (.badRequest, CloudKitReason.unexpectedInput)
        case (.badRequest, .notIndexed?): (.badRequest, reason.upToRemedy)
        case (.badRequest, .unknownName?) where reason.hasPrefix("Field "): (.badRequest, reason.upToRemedy)
        case (.badRequest, .typeMismatch?): (.badRequest, mismatch)
        case (.badRequest, _) where reason.hasPrefix(CloudKitReason.shareMissing): (.badRequest, reason.upToRemedy)
        default: (code, reason)
        }
    }

    /// CloudKit's sentence for a value of another type. A value with another tag has a sentence of its own.
    private var mismatch: String {
        if reason.hasPrefix("invalid attempt to set value type") { return reason.upToRemedy }
        guard case .text(let expected)? = details.first(where: { $0.key == "expected" })?.value,
            let type = FieldType(tag: expected)
        else { return reason }
        return RecordError.cloudKitMismatch(type).reason
    }
}

extension String {
    /// The first sentence. This server's errors add what to do, which CloudKit's lack.
    fileprivate var upToRemedy: String {
        var rest = self[...]
        while let dot = rest.firstIndex(of: ".") {
            let next = index(after: dot)
            if next == endIndex || self[next] == " " { return String(self[..<dot]) }
            rest = self[next...]
        }
        return self
    }
}
