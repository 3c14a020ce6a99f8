package import Cryptography
package import RecordStorage
internal import RecordWire

/// The manifest of a backup: the file `manifest.json`, written last. The manifest does not list asset files, since the
/// databases contain their names, lengths and digests.
package struct BackupManifest: Hashable, Sendable {
    /// The name of the manifest's file.
    package static let fileName = "manifest.json"
    /// The format of backups that this version writes and reads.
    package static let format: Int64 = 1

    /// A database in a backup.
    package struct Database: Hashable, Sendable {
        /// The name of the container.
        package var container: String
        /// The name of the environment.
        package var environment: String
        /// The last sequence number in the copy, and the epoch of the restored copy; `nil` for a database that was not
        /// open.
        package var mark: CopyPosition?
        /// The number of asset files.
        package var assets: Int
        /// The size of all asset files in bytes.
        package var assetBytes: Int64
    }

    /// A file in a backup, other than an asset file.
    package struct File: Hashable, Sendable {
        /// The path relative to the backup's directory.
        package var path: String
        /// The size of the file in bytes.
        package var size: Int
        /// The SHA-256 digest of the file.
        package var digest: Digest
    }

    /// The version of Fogbase that created the backup.
    package var version: String
    /// When the backup began, in milliseconds since 1970.
    package var created: Int64
    /// The databases.
    package var databases: [Database] = []
    /// The files other than asset files.
    package var files: [File] = []

    /// Begins the manifest of a new backup, without databases and files.
    package init(version: String, created: Int64) {
        self.version = version
        self.created = created
    }

    /// The size of all asset files in bytes.
    package var assetBytes: Int64 { databases.reduce(0) { $0 + $1.assetBytes } }
    /// The size of all other files in bytes.
    package var fileBytes: Int { files.reduce(0) { $0 + $1.size } }

    // MARK: JSON

    /// The manifest as JSON.
    package var json: [UInt8] {
        JSONValue.object(
            JSONObject([
                ("format", .integer(Self.format)), ("version", .string(version)), ("created", .integer(created)),
                (
                    "databases",
                    .array(
                        databases.map { database in
                            var object = JSONObject([
                                ("container", .string(database.container)),
                                ("environment", .string(database.environment)),
                                ("assets", .integer(Int64(database.assets))),
                                ("assetBytes", .integer(database.assetBytes)),
                            ])
                            // Write the epoch as a string, since many JSON parsers cannot represent 63 random bits as a
                            // number.
                            if let mark = database.mark {
                                object["sequence"] = .integer(mark.sequence)
                                object["epoch"] = .string(String(mark.epoch))
                            }
                            return .object(object)
                        })
                ),
                (
                    "files",
                    .array(
                        files.map { file in
                            [
                                "path": .string(file.path), "size": .integer(Int64(file.size)),
                                "sha256": .string(file.digest.hex),
                            ]
                        })
                ),
            ])
        ).bytes
    }

    /// Reads the manifest of a backup.
    ///
    /// - Throws: `BackupProblem` if the manifest is missing, damaged or in a newer format.
    package init(of backup: String) throws(BackupProblem) {
        let path = backup + "/" + Self.fileName
        guard DirectoryInspection.isDirectory(backup) else { throw BackupProblem("There is no directory \(backup).") }
        guard DirectoryInspection.exists(path) else {
            throw BackupProblem(
                "\(backup) is not a backup: it has no \(Self.fileName). Choose a directory that 'fogbase backup create' created."
            )
        }
        let bytes = try BackupFiles.read(path, upTo: 64 << 20)
        let object = (try? JSONValue.parse(bytes))?.object
        guard let object, let format = object["format"]?.integer else { throw .damagedManifest(path) }
        guard format == Self.format else {
            throw BackupProblem(
                "\(backup) has the format \(format), and this version reads \(Self.format). Use Fogbase \(object["version"]?.string ?? "of a newer version")."
            )
        }
        guard let version = object["version"]?.string, let created = object["created"]?.integer,
            let databases = object["databases"]?.array, let files = object["files"]?.array
        else { throw .damagedManifest(path) }
        self.init(version: version, created: created)
        for item in databases {
            guard let container = item["container"]?.string, let environment = item["environment"]?.string,
                let assets = item["assets"]?.integer, let assetBytes = item["assetBytes"]?.integer
            else { throw .damagedManifest(path) }
            var mark: CopyPosition?
            if let sequence = item["sequence"]?.integer, let epoch = item["epoch"]?.string.flatMap(Int64.init) {
                mark = CopyPosition(sequence: sequence, epoch: epoch)
            }
            self.databases.append(
                Database(
                    container: container, environment: environment, mark: mark, assets: Int(assets),
                    assetBytes: assetBytes))
        }
        for item in files {
            // A path in a manifest must not lead out of the backup's directory.
            guard let file = item["path"]?.string, !file.hasPrefix("/"), !file.split(separator: "/").contains(".."),
                let size = item["size"]?.integer, let digest = item["sha256"]?.string.flatMap(Digest.init(hex:))
            else { throw .damagedManifest(path) }
            self.files.append(File(path: file, size: Int(size), digest: digest))
        }
    }
}

extension BackupProblem {
    fileprivate static func damagedManifest(_ path: String) -> BackupProblem {
        BackupProblem("\(path) is damaged. Use another backup.")
    }
}
