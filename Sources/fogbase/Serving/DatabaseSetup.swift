import RecordEngine
import RecordModel

/// Converts settings to the engine's configuration, for the server and for commands that open the data directory
/// themselves.
enum DatabaseSetup {
    static func limits(_ settings: Settings) -> DatabaseLimits {
        var limits = DatabaseLimits()
        limits.recordBytes = settings.recordBytes
        limits.batchOperations = settings.batchOperations
        limits.bodyBytes = settings.bodyBytes
        limits.pageSize = settings.pageSize
        limits.defaultPageSize = min(limits.defaultPageSize, settings.pageSize)
        limits.cascadeRecords = settings.cascadeRecords
        limits.setRecords = settings.setRecords
        limits.quotas = settings.quotas
        limits.queryMilliseconds = settings.queryMilliseconds
        limits.assetBytes = settings.assetBytes
        limits.unreferencedAssetBytes = settings.unreferencedAssetBytes
        limits.unreferencedAssetSeconds = settings.unreferencedAssetTime.components.seconds
        limits.assetURLSeconds = settings.assetURLTime.components.seconds
        limits.freeDiskBytes = settings.freeDiskBytes
        limits.sessionSeconds = settings.sessionTime.components.seconds
        limits.sessionLongestSeconds = settings.sessionLongestTime.components.seconds
        limits.auditSeconds = settings.auditTime.components.seconds
        limits.auditEntries = settings.auditEntries
        return limits
    }

    /// Returns the database for requests that name no database.
    ///
    /// - Throws: `Failure` with code `configuration` if its container is not configured.
    static func defaultDatabase(_ settings: Settings) throws(Failure) -> DatabaseID {
        guard settings.containers.contains(settings.requestContainer),
            let container = ContainerName(settings.requestContainer),
            let environment = RecordEnvironment(rawValue: settings.environment.rawValue)
        else { throw Failure("There is no container named \(settings.requestContainer).", code: .configuration) }
        return DatabaseID(container: container, environment: environment)
    }
}
