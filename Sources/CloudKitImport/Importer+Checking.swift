internal import RecordWire

/// What is here after an import.
struct ImportFindings: Hashable, Sendable {
    /// References of one field that lead to no record.
    struct Dangling: Hashable, Sendable {
        let zone: String
        let type: String
        let field: String
        var count: Int64
        /// Some of the names to which they lead.
        var examples: [String]
    }

    /// The number of records here, by zone and type; empty for a dry run.
    var here: [WalkName: Int64] = [:]
    /// The references that lead to no record, by zone, type and field.
    var dangling: [Dangling] = []
}

extension Importer {
    /// The number of names that a report shows of each field.
    private static let mostExamples = 3

    private struct FieldPlace: Hashable {
        let type: String
        let field: String
    }

    /// Counts the records here, and finds references that lead to no record.
    func check(_ zones: [String]) async throws(ImportError) -> ImportFindings {
        var findings = ImportFindings()
        guard !options.isDryRun else { return findings }
        progress.activity = "checking"
        let fields = try await target.referenceFields()
        for zone in zones {
            var names: Set<Int> = []
            // By the hash of the target's name: the name, and the fields that refer to it.
            var targets: [Int: (name: String, fields: [FieldPlace: Int64])] = [:]
            for type in state.counts.keys.filter({ $0.zone == zone }).compactMap(\.type).sorted() {
                let references = fields[type] ?? []
                var cursor: String?
                var count: Int64 = 0
                repeat {
                    try clock.checkInterruption()
                    let page = try await target.list(type, in: zone, fields: references, cursor: cursor)
                    count += Int64(page.records.count)
                    for record in page.records {
                        if let name = record["recordName"]?.string {
                            names.insert(name.hashValue)
                            targets[name.hashValue] = nil
                        }
                        for field in references {
                            for target in Self.targets(record["fields"]?[field]?["value"]) {
                                guard !names.contains(target.hashValue), !options.users.isAccount(target) else {
                                    continue
                                }
                                targets[target.hashValue, default: (target, [:])]
                                    .fields[FieldPlace(type: type, field: field), default: 0] += 1
                            }
                        }
                    }
                    cursor = page.cursor
                } while cursor != nil
                findings.here[WalkName(zone: zone, type: type)] = count
            }
            findings.dangling += Self.dangling(targets.values.sorted { $0.name < $1.name }, in: zone)
        }
        return findings
    }

    private static func targets(_ value: JSONValue?) -> [String] {
        guard let value else { return [] }
        return (value.array ?? [value]).compactMap { $0["recordName"]?.string }
    }

    private static func dangling(
        _ targets: [(name: String, fields: [FieldPlace: Int64])], in zone: String
    ) -> [ImportFindings.Dangling] {
        var found: [FieldPlace: ImportFindings.Dangling] = [:]
        for target in targets {
            for (place, count) in target.fields {
                var entry =
                    found[place]
                    ?? ImportFindings.Dangling(zone: zone, type: place.type, field: place.field, count: 0, examples: [])
                entry.count += count
                if entry.examples.count < mostExamples { entry.examples.append(target.name) }
                found[place] = entry
            }
        }
        return found.values.sorted { ($0.type, $0.field) < ($1.type, $1.field) }
    }
}
