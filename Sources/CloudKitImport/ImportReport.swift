package import RecordWire

/// How the records here differ from the source after a run.
package struct ImportReport: Hashable, Sendable {
    /// The counts of a type in a zone.
    package struct Row: Hashable, Sendable {
        /// The zone.
        package let zone: String
        /// The type.
        package let type: String
        /// The records that were carried over in this run.
        package let carried: Int64
        /// The records that could not be carried over.
        package let failed: Int64
        /// The records here; `nil` for a dry run.
        package let here: Int64?
        /// Whether the run has read only what changed since an earlier one.
        package let isPartial: Bool

        /// Whether the number here is not that of the source, as far as the run has counted it. Records that could not
        /// be carried over may be here from an earlier run.
        package var differs: Bool { here.map { !isPartial && !(carried...(carried + failed)).contains($0) } ?? false }
    }

    /// A record that could not be carried over.
    package struct Problem: Hashable, Sendable {
        /// The record.
        package let place: RecordPlace
        /// The type; empty if it is not known.
        package let type: String
        /// Why, as a sentence without a period.
        package let reason: String
    }

    /// A type or zone that could not be read.
    package struct Unread: Hashable, Sendable {
        /// The walk.
        package let walk: WalkName
        /// What the source says.
        package let reason: String
        /// What to do, as a sentence without a period.
        package let advice: String
    }

    /// References of one field that lead to no record here.
    package struct Dangling: Hashable, Sendable {
        /// The zone.
        package let zone: String
        /// The type of the records with the references.
        package let type: String
        /// The field.
        package let field: String
        /// The number of references.
        package let count: Int64
        /// Some of the names to which they lead.
        package let examples: [String]
    }

    /// A difference, and how many records have it.
    package struct Difference: Hashable, Sendable {
        /// The difference.
        package let note: ImportNote
        /// The number of records.
        package let count: Int64
    }

    /// Whether nothing was written.
    package let isDryRun: Bool
    /// The counts, by zone and type.
    package let rows: [Row]
    /// The records deleted here because the source has deleted them, by zone.
    package let deleted: [String: Int64]
    /// The records that could not be carried over.
    package let problems: [Problem]
    /// The types and zones that could not be read.
    package let unread: [Unread]
    /// The differences of records that were carried over, except about users.
    package let differences: [Difference]
    /// The users of the source without an account here, by record name; empty for further ones.
    package let users: [String: Int64]
    /// The references that lead to no record here.
    package let dangling: [Dangling]

    /// Whether all records were carried over.
    package var isComplete: Bool { problems.isEmpty && unread.isEmpty }

    init(
        _ state: ImportState, _ options: Importer.Options, _ findings: ImportFindings, unread: [WalkName: String]
    ) {
        isDryRun = options.isDryRun
        var failed: [WalkName: Int64] = [:]
        for (place, problem) in state.problems {
            failed[WalkName(zone: place.zone, type: problem.type), default: 0] += 1
        }
        rows = Set(state.counts.keys).union(failed.keys).compactMap { name in
            guard let type = name.type, !type.isEmpty else { return nil }
            let walk = state.walks[name] ?? state.walks[WalkName(zone: name.zone, type: nil)]
            return Row(
                zone: name.zone, type: type, carried: state.counts[name]?.carried ?? 0, failed: failed[name] ?? 0,
                here: findings.here[name], isPartial: walk?.isPartial ?? false)
        }.sorted { ($0.zone, $0.type) < ($1.zone, $1.type) }
        deleted = state.deleted.filter { $0.value > 0 }
        var problems = state.problems.map { Problem(place: $0, type: $1.type, reason: $1.reason) }
        for (place, write) in state.deferred where write == .deletion {
            problems.append(
                Problem(
                    place: place, type: "", reason: "The source has deleted it, but records here refer to it"))
        }
        self.problems = problems.sorted {
            ($0.place.zone, $0.type, $0.place.name) < ($1.place.zone, $1.type, $1.place.name)
        }
        self.unread = unread.map { Unread(walk: $0, reason: $1, advice: Self.advice($0, $1)) }
            .sorted { ($0.walk.zone, $0.walk.type ?? "") < ($1.walk.zone, $1.walk.type ?? "") }
        differences = state.notes.filter { $0.key.kind != .unmappedUser }
            .map { Difference(note: $0, count: $1) }
            .sorted {
                ($0.note.type, $0.note.subject, $0.note.kind.rawValue)
                    < ($1.note.type, $1.note.subject, $1.note.kind.rawValue)
            }
        users = Dictionary(
            uniqueKeysWithValues: state.notes.filter { $0.key.kind == .unmappedUser }.map { ($0.key.subject, $0.value) }
        )
        dangling = findings.dangling.map {
            Dangling(zone: $0.zone, type: $0.type, field: $0.field, count: $0.count, examples: $0.examples)
        }
    }

    private static func advice(_ walk: WalkName, _ reason: String) -> String {
        guard let type = walk.type else { return "Check that the user of the web auth token owns the zone" }
        if reason.contains("not marked queryable") {
            return
                "CloudKit lists the records of a type only if the record name has an index. Add the index 'QUERYABLE' on 'recordName' to the type \(type) in CloudKit Console, deploy the schema to production if the source is production, and run the same command again"
        }
        if reason.hasPrefix("ACCESS_DENIED") {
            return
                "The credential may not read the type. Grant READ on \(type) to a role that the credential has, such as _icloud, and run the same command again"
        }
        return "Check that the source has the type \(type). If it has not, name the others with --types"
    }

    /// The report as JSON.
    package var json: JSONValue {
        let rows = rows.map { row -> JSONValue in
            var object = JSONObject([
                ("zone", .string(row.zone)), ("type", .string(row.type)), ("carried", .integer(row.carried)),
                ("failed", .integer(row.failed)), ("onlyChanges", .bool(row.isPartial)),
            ])
            if let here = row.here { object["here"] = .integer(here) }
            return .object(object)
        }
        let problems = problems.map { problem -> JSONValue in
            [
                "zone": .string(problem.place.zone), "type": .string(problem.type), "name": .string(problem.place.name),
                "reason": .string(problem.reason),
            ]
        }
        let unread = unread.map { unread -> JSONValue in
            [
                "zone": .string(unread.walk.zone), "type": unread.walk.type.map(JSONValue.string) ?? .null,
                "reason": .string(unread.reason), "advice": .string(unread.advice),
            ]
        }
        let differences = differences.map { difference -> JSONValue in
            [
                "kind": .string(difference.note.kind.rawValue), "type": .string(difference.note.type),
                "field": .string(difference.note.subject), "count": .integer(difference.count),
            ]
        }
        let dangling = dangling.map { dangling -> JSONValue in
            [
                "zone": .string(dangling.zone), "type": .string(dangling.type), "field": .string(dangling.field),
                "count": .integer(dangling.count), "examples": .array(dangling.examples.map(JSONValue.string)),
            ]
        }
        return [
            "dryRun": .bool(isDryRun), "counts": .array(rows), "deleted": .object(Self.object(deleted)),
            "problems": .array(problems), "unread": .array(unread), "differences": .array(differences),
            "users": .object(Self.object(users)), "danglingReferences": .array(dangling),
        ]
    }

    private static func object(_ counts: [String: Int64]) -> JSONObject {
        JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
    }
}
