internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordEnvironment {
    /// Reads the name of an environment in any case; `nil` for another name.
    init?(cloudKit name: String) {
        guard let environment = Self(rawValue: name) ?? Self(rawValue: name.lowercased()) else { return nil }
        self = environment
    }
}

/// The container, the environment and the database in a URL of CloudKit Web Services.
///
/// ```text
/// /database/1/{container}/{environment}/{database}/{operation}
/// /device/1/{container}/{environment}/{operation}
/// ```
struct CloudKitPath: Sendable {
    /// The database file with the container's records in the environment.
    let id: DatabaseID
    /// The database; the public database for a device URL.
    let database: CloudKitDatabase

    /// Reads the parameters of a route.
    ///
    /// - Throws: NOT_FOUND for a container name that no container can have; BAD_REQUEST for an unknown environment or
    ///   database.
    init(_ parameters: RouteParameters, of route: CloudKitRoute) throws(RecordError) {
        guard let container = ContainerName(parameters[0]) else {
            throw RecordError(.notFound, CloudKitReason.noContainer)
        }
        // A client library in use writes the environment in upper case.
        guard let environment = RecordEnvironment(cloudKit: parameters[1]) else {
            throw .badRequest("The environment in the URL is development or production")
        }
        id = DatabaseID(container: container, environment: environment)
        guard route.namesDatabase else {
            database = .publicDatabase
            return
        }
        guard let database = CloudKitDatabase(rawValue: parameters[2]) else {
            throw .badRequest("The database in the URL is public, private or shared")
        }
        self.database = database
    }
}
