package import Cryptography
package import RecordStorage
internal import RecordWire

/// What a backup says of itself: the file `manifest.json`, written last. Files of assets are not in it: the databases name
/// them, with lengths and digests.
package struct BackupManifest: Hashable, Sendable {
    package static let fileName = "manifest.json"
    /// The layout of backups that this version makes and reads.
    package static let format: Int64 = 1

    package struct Database: Hashable, Sendable {
        package var container: String
        package var environment: String
        /// The last number of the one sequence that is in the copy, and the epoch that it begins; `nil` of a database that
        /// was not open.
        package var mark: CopyMark?
        package var assets: Int
        package var assetBytes: Int64
    }

    package struct File: Hashable, Sendable {
        /// Below the backup.
        package var path: String
        package var size: Int
        package var digest: Digest
    }

    /// The version of Fogbase that made it.
    package var version: String
    /// Milliseconds since 1970, before the first copy.
    package var created: Int64
    package var databases: [Database] = []
    package var files: [File] = []

    package init(version: String, created: Int64) {
        self.version = version
        self.created = created
    }

    package var assetBytes: Int64 { databases.reduce(0) { $0 + $1.assetBytes } }
    package var fileBytes: Int { files.reduce(0) { $0 + $1.size } }

    // MARK: JSON

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
                            // As a text: 63 random bits are more than many readers of JSON keep of a number.
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
    /// - Throws: A sentence: there is none, it is damaged, or of a newer version.
    package init(of backup: String) throws(BackupProblem) {
        let path = backup + "/" + Self.fileName
        guard FolderInspection.isFolder(backup) else { throw BackupProblem("There is no directory \(backup).") }
        guard FolderInspection.exists(path) else {
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
            var mark: CopyMark?
            if let sequence = item["sequence"]?.integer, let epoch = item["epoch"]?.string.flatMap(Int64.init) {
                mark = CopyMark(sequence: sequence, epoch: epoch)
            }
            self.databases.append(
                Database(
                    container: container, environment: environment, mark: mark, assets: Int(assets),
                    assetBytes: assetBytes))
        }
        for item in files {
            // What a manifest says must not lead out of its backup.
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
