public import Foundation
public import RecordModel

/// Whether somebody is signed in (`CKAccountStatus`).
public enum FBAccountStatus: Int, Hashable, Sendable {
    /// The server was not understood.
    case couldNotDetermine = 0
    /// Somebody is signed in.
    case available = 1
    /// Never on Fogbase: nobody but the server decides.
    case restricted = 2
    /// Nobody is signed in, or the session has ended.
    case noAccount = 3
    /// The server cannot say now.
    case temporarilyUnavailable = 4
}

/// An app on a server, with CloudKit's names (`CKContainer`).
public struct FBContainer: Sendable {
    /// What the names stand for: accounts, assets, changes and all else that CloudKit has not.
    public let container: Container

    /// - Parameters:
    ///   - identifier: Such as `iCloud.org.example.Forum`.
    ///   - server: Where it is.
    ///   - environment: `nil` is the server's default.
    ///   - tokens: Keeps who is signed in.
    ///   - transport: Carries the requests; `nil` is the network.
    public init(
        identifier: String? = nil, server: URL, environment: RecordEnvironment? = nil,
        tokens: any TokenStore = MemoryTokenStore(), transport: (any Transport)? = nil
    ) {
        container = Fogbase(server, tokens: tokens, transport: transport).container(
            identifier, environment: environment)
    }

    /// The same app under CloudKit's names.
    public init(_ container: Container) {
        self.container = container
    }

    /// What all users of the app share (`publicCloudDatabase`).
    public var publicCloudDatabase: FBDatabase { FBDatabase(container.publicDatabase) }
    /// What belongs to whoever is signed in (`privateCloudDatabase`).
    public var privateCloudDatabase: FBDatabase { FBDatabase(container.privateDatabase) }

    /// Whether somebody is signed in.
    public func accountStatus() async throws -> FBAccountStatus {
        switch try await container.accountStatus() {
        case .available: .available
        case .noAccount: .noAccount
        case .temporarilyUnavailable: .temporarilyUnavailable
        case .couldNotDetermine: .couldNotDetermine
        }
    }

    /// The record of whoever is signed in.
    public func userRecordID() async throws -> FBRecord.ID {
        do {
            let user = try await container.currentUser().user
            return FBRecord.ID(recordName: user.recordName, recordType: "Users")
        } catch {
            throw FBError.translated(error)
        }
    }
}
