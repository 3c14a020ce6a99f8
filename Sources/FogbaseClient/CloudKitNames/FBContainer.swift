public import Foundation
public import RecordModel

/// Whether a user is signed in (`CKAccountStatus`).
public enum FBAccountStatus: Int, Hashable, Sendable {
    /// The status is unknown because of an error that a retry does not fix.
    case couldNotDetermine = 0
    /// A user is signed in.
    case available = 1
    /// Fogbase never returns this status, because it has no device restrictions.
    case restricted = 2
    /// No user is signed in, or the session has ended.
    case noAccount = 3
    /// The status is unknown because of a temporary error.
    case temporarilyUnavailable = 4
}

/// A container with CloudKit's names (`CKContainer`).
public struct FBContainer: Sendable {
    /// The underlying container, for accounts and other features that CloudKit does not have.
    public let container: Container

    /// Creates a client for a container of a server.
    ///
    /// - Parameters:
    ///   - identifier: The container name, such as `iCloud.org.example.Forum`; `nil` is the server's default.
    ///   - server: The address of the server.
    ///   - environment: `development` or `production`; `nil` is the server's default.
    ///   - tokens: The store for the token of the signed-in user.
    ///   - transport: The transport for the requests; `nil` is the network.
    public init(
        identifier: String? = nil, server: URL, environment: RecordEnvironment? = nil,
        tokens: any TokenStore = MemoryTokenStore(), transport: (any Transport)? = nil
    ) {
        container = Fogbase(server, tokens: tokens, transport: transport).container(
            identifier, environment: environment)
    }

    /// Creates a container with CloudKit's names from an existing container.
    public init(_ container: Container) {
        self.container = container
    }

    /// The database that all users of the app share (`publicCloudDatabase`).
    public var publicCloudDatabase: FBDatabase { FBDatabase(container.publicDatabase) }
    /// The private database of the signed-in user (`privateCloudDatabase`).
    public var privateCloudDatabase: FBDatabase { FBDatabase(container.privateDatabase) }

    /// Returns whether a user is signed in.
    ///
    /// - Throws: `CancellationError` only.
    public func accountStatus() async throws -> FBAccountStatus {
        switch try await container.accountStatus() {
        case .available: .available
        case .noAccount: .noAccount
        case .temporarilyUnavailable: .temporarilyUnavailable
        case .couldNotDetermine: .couldNotDetermine
        }
    }

    /// Returns the identifier of the signed-in user's record.
    ///
    /// - Throws: `FBError` with the code `notAuthenticated` if no user is signed in.
    public func userRecordID() async throws -> FBRecord.ID {
        do {
            let user = try await container.currentUser().user
            return FBRecord.ID(recordName: user.recordName, recordType: "Users")
        } catch {
            throw FBError.translated(error)
        }
    }
}
