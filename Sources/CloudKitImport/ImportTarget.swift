package import RecordWire

/// The database of this server that gets the records. Repeats what a later attempt may achieve.
package protocol ImportTarget: AnyObject {
    /// The most operations of one write.
    var mostOperations: Int { get }
    /// The most bytes of one write.
    var mostBytes: Int { get }

    /// Creates a zone, if it is missing.
    func makeZone(_ name: String) async throws(ImportError)

    /// Deletes a zone with its records, if it is there.
    func deleteZone(_ name: String) async throws(ImportError)

    /// Executes operations of a batch, each for itself, with preserved dates and users.
    ///
    /// - Returns: The result of each operation, in order.
    /// - Throws: `rejected` if the server rejects the whole request.
    func write(_ operations: [JSONValue], in zone: String) async throws(ImportError) -> [JSONObject]

    /// Uploads a file.
    ///
    /// - Returns: The value of an ASSET field.
    /// - Throws: `rejected` if the server rejects the file.
    func upload(_ file: StagedFile) async throws(ImportError) -> JSONValue

    /// Returns the REFERENCE fields of each type.
    func referenceFields() async throws(ImportError) -> [String: [String]]

    /// Returns a page of the records of a type, with some of their fields.
    ///
    /// - Parameter cursor: The cursor of the previous page; `nil` for the first one.
    func list(
        _ type: String, in zone: String, fields: [String], cursor: String?
    ) async throws(ImportError) -> (records: [JSONObject], cursor: String?)
}

/// How far an import is.
package struct ImportProgress: Hashable, Sendable {
    /// What it does, such as `reading Tree`.
    package var activity = ""
    /// The records that this process has carried over or deleted.
    package var records: Int64 = 0
    /// The assets that this process has transferred.
    package var assets: Int64 = 0
    /// The bytes of these assets.
    package var bytes: Int64 = 0
    /// How many of the types and zones are done.
    package var walksDone = 0
    /// The number of types and zones.
    package var walks = 0

    /// Creates the progress at the start.
    package init() {}
}
