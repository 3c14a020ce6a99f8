public import Foundation
public import RecordModel

/// A client of a Fogbase server.
///
/// ```swift
/// let fogbase = Fogbase(URL(string: "https://fog.example.org")!)
/// let database = fogbase.container("iCloud.org.example.Forum").publicDatabase
/// let post = try await database.create(Post(title: "sea"))
/// ```
/// A client holds no connection and no thread, so creating and copying a client is cheap.
public struct Fogbase: Sendable {
    var connection: Connection

    /// Creates a client for a server.
    ///
    /// - Parameters:
    ///   - url: The address of the server, including the path if a proxy serves the server below a path.
    ///   - tokens: The store for the token of the signed-in user.
    ///   - retry: The policy for retries of failed requests.
    ///   - transport: The transport for the requests; `nil` is the network.
    public init(
        _ url: URL, tokens: any TokenStore = MemoryTokenStore(), retry: RetryPolicy = .standard,
        transport: (any Transport)? = nil
    ) {
        connection = Connection(
            url: url, transport: transport ?? URLSessionTransport(), tokens: tokens, retry: retry, scope: [])
    }

    /// The times and the randomness of event streams, for tests.
    package var streaming: StreamPolicy {
        get { connection.streaming }
        set { connection.streaming = newValue }
    }

    /// Returns a container of the server.
    ///
    /// - Parameters:
    ///   - identifier: The container name, such as `iCloud.org.example.Forum`; `nil` is the server's default.
    ///   - environment: `development` or `production`; `nil` is the server's default.
    public func container(_ identifier: String? = nil, environment: RecordEnvironment? = nil) -> Container {
        var connection = connection
        if let identifier { connection.scope.append(("container", identifier)) }
        if let environment { connection.scope.append(("environment", environment.rawValue)) }
        return Container(connection: connection)
    }
}

/// A container: the databases and accounts of one app on a server.
public struct Container: Sendable {
    let connection: Connection

    /// The database that all users of the app share, subject to roles and grants.
    public var publicDatabase: Database {
        Database(connection: connection, scope: .public)
    }

    /// The private database of the signed-in user, which can have several zones.
    public var privateDatabase: Database {
        var connection = connection
        connection.scope.append(("database", "private"))
        return Database(connection: connection, scope: .private)
    }

    /// The shared database of the signed-in user: the zones that other users share with the user. ``Share`` tells more.
    ///
    /// A request for records names a zone: `zone(_:)` with the id of a zone.
    public var sharedDatabase: Database {
        var connection = connection
        connection.scope.append(("database", Database.Scope.shared.rawValue))
        return Database(connection: connection, scope: .shared)
    }

    /// Returns the private database of another user. Only administrators can use it.
    ///
    /// - Parameter owner: The record name of the user.
    public func privateDatabase(of owner: String) -> Database {
        var database = privateDatabase
        database.connection.scope.append(("owner", owner))
        return database
    }
}
