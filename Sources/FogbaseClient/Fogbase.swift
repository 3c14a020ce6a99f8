public import Foundation
public import RecordModel

/// A Fogbase server.
///
/// ```swift
/// let fogbase = Fogbase(URL(string: "https://fog.example.org")!)
/// let database = fogbase.container("iCloud.org.example.Forum").publicDatabase
/// let post = try await database.create(Post(title: "sea"))
/// ```
///
/// It holds no connection and no thread of its own: make as many as you like, and throw them away.
public struct Fogbase: Sendable {
    var connection: Connection

    /// - Parameters:
    ///   - url: The server's address, with a path if a proxy serves it below one.
    ///   - tokens: Keeps who is signed in.
    ///   - retry: How often to try again.
    ///   - transport: Carries the requests; `nil` is the network.
    public init(
        _ url: URL, tokens: any TokenStore = MemoryTokenStore(), retry: RetryPolicy = .standard,
        transport: (any Transport)? = nil
    ) {
        connection = Connection(
            url: url, transport: transport ?? URLSessionTransport(), tokens: tokens, retry: retry, scope: [])
    }

    /// A container of the server.
    ///
    /// - Parameters:
    ///   - identifier: Such as `iCloud.org.example.Forum`; `nil` is the server's default.
    ///   - environment: `nil` is the server's default.
    public func container(_ identifier: String? = nil, environment: RecordEnvironment? = nil) -> Container {
        var connection = connection
        if let identifier { connection.scope.append(("container", identifier)) }
        if let environment { connection.scope.append(("environment", environment.rawValue)) }
        return Container(connection: connection)
    }
}

/// An app on a server: its databases and its accounts.
public struct Container: Sendable {
    let connection: Connection

    /// What all users of the app share, as its roles and grants allow.
    public var publicDatabase: Database {
        Database(connection: connection, scope: .public)
    }

    /// What belongs to whoever is signed in, and to nobody else.
    public var privateDatabase: Database {
        var connection = connection
        connection.scope.append(("database", "private"))
        return Database(connection: connection, scope: .private)
    }

    /// Somebody's private database, for an administrator.
    ///
    /// - Parameter owner: The record name of the user.
    public func privateDatabase(of owner: String) -> Database {
        var database = privateDatabase
        database.connection.scope.append(("owner", owner))
        return database
    }
}
