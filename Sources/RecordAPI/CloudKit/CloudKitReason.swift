internal import RecordModel
internal import RecordWire

/// The texts of `reason` that only this module needs. `RecordWire` has the others.
extension CloudKitReason {
    /// An operation in a database to which it does not apply.
    static func notApplicable(in database: CloudKitDatabase) -> String {
        "endpoint not applicable in the database type '\(database.errorName)'"
    }

    // MARK: This server's

    static let noContainer = "There is no container with the name in the URL"
    static let noHandler =
        "There is no handler for this endpoint. The manual's page about CloudKit compatibility lists the endpoints"
    /// The same text for every reason, so that nobody learns which key IDs exist.
    static let signatureRejected = """
        The signature of the request is not valid: the key ID is unknown, the key was revoked, the date is more than 10 \
        minutes off, or the signature is of another body, path or key
        """
    static let noCredential = "The request has no credential. Send ckAPIToken, or sign it with a server-to-server key"
    static let twoCredentials = "The request has an API token and a signature. Send one of them"
    static let tokenRejected = "The API token is not valid, or it is of another container or environment"
    static let originRejected = "The API token may not be used by pages of this origin"
    static let keyElsewhere = "A server-to-server key works in the public database only"
    static let keyIsNoUser =
        "A server-to-server key is no user, and this operation needs one. Send ckAPIToken and ckWebAuthToken"
}

extension RecordError {
    /// The error for a request that needs a user. Its response has the URL of the sign-in page.
    static let cloudKitUserNeeded = RecordError(.authenticationRequired, CloudKitReason.userNeeded)

    /// The error for a server-to-server key in a private or shared database.
    static let cloudKitKeyElsewhere = RecordError(.authenticationFailed, CloudKitReason.keyElsewhere)
}
