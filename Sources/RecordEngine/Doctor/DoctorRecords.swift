internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The check of one database: its file, its figures, and each record with related rows.
struct DatabaseCheck {
    let label: String
    let doctor: Doctor
    private let store: StoreInspector
    let table: InspectionTable
    private let schemas: SchemaTable
    /// The schema in the current snapshot. A running server adds types and fields during the check.
    private var schema: Schema
    private var indexes: IndexCheck
    private let audiences: AudienceCheck?
    private let assets: AssetCheck?
    private var zones: Set<ZoneID> = []
    private var total = 0

    static let slice = 1_000

    init(_ store: StoreInspector, directory: String, isInUse: Bool, label: String, doctor: Doctor) throws {
        self.label = label
        self.doctor = doctor
        self.store = store
        table = store.records
        schemas = store.schemas
        schema = try schemas.load(version: 1)
        audiences = try AudienceCheck(store, label: label)
        indexes = try IndexCheck(store, audiences, label: label)
        assets = AssetCheck(store, directory: directory, isInUse: isInUse, label: label)
    }

    mutating func run(_ database: inout DoctorReport.Database, _ found: inout DoctorReport) throws {
        try doctor.report(Doctor.Progress(activity: label + ": the file", done: 0, total: 0))
        try examineFile(&found)
        try summarize(&database, &found)
        try indexes.examineTables(&found)
        try examineKeys(&found)
        try examineNames(&found)
        guard !doctor.isQuick else { return }
        try examineRecords(&found)
        try examineEdges(&found)
        try examineLargeValues(&found)
        let (doctor, label) = (doctor, label)
        try indexes.examineEntries(&found) { done in
            try doctor.report(Doctor.Progress(activity: label + ": indexes", done: done, total: 0))
        }
        try examineUsage(&found)
        try audiences?.examineMembers(&found) { done in
            try doctor.report(Doctor.Progress(activity: label + ": audiences", done: done, total: 0))
        }
        try assets?.examineTables(&found) { done in
            try doctor.report(Doctor.Progress(activity: label + ": assets", done: done, total: 0))
        }
        try assets?.examineFiles(&found)
    }

    // MARK: The file

    private func examineFile(_ found: inout DoctorReport) throws {
        for line in try table.integrityProblems(isQuick: doctor.isQuick) {
            found.problem(
                "\(label): \(StoreLibrary.name) finds the file damaged: \(line).",
                remedy: "Stop the server, keep a copy of the directory as it is, and restore it from a backup.",
                sort: label + " integrity")
        }
        let migrations = try table.migrationState()
        if migrations.unknown > 0 {
            found.problem(
                "\(label): The database was written by a newer version of Fogbase.",
                remedy: "Use that version, or restore a backup from before.", sort: label + " migration")
        } else if migrations.missing > 0 {
            found.notice("\(label): The next start of the server migrates the tables.")
        }
        let numbers = try table.withView { try table.sequenceNumbers() }
        if numbers.used > numbers.promised {
            found.problem(
                "\(label): The sequence is at \(numbers.promised), below the last record's number \(numbers.used).",
                remedy: "Restore the directory from a backup: new records could get numbers that are in use.",
                sort: label + " sequence")
        }
    }

    private mutating func summarize(
        _ database: inout DoctorReport.Database, _ found: inout DoctorReport
    ) throws {
        let totals = try table.totals()
        database.accounts = totals.accounts
        database.keys = totals.keys
        database.sessions = totals.sessions
        database.zones = totals.zones
        database.subscriptions = totals.subscriptions
        var counts: [TypeID: InspectionTable.TypeCount] = [:]
        let all = try table.withView {
            schema = try schemas.load(version: 1)
            return try table.counts()
        }
        for count in all {
            counts[count.type] = count
            total += count.records + count.tombstones
            if schema[id: count.type] == nil {
                found.problem(
                    "\(label): \(count.records) records have the type number \(count.type), which is not in the schema.",
                    remedy: "Restore the directory from a backup: these records cannot be read.",
                    sort: label + " type")
            }
        }
        for type in schema.types.values.sorted(by: { $0.id < $1.id }) {
            database.types.append(
                DoctorReport.TypeFigures(
                    name: type.name.text, fields: type.fields.count, records: counts[type.id]?.records ?? 0,
                    tombstones: counts[type.id]?.tombstones ?? 0))
        }
    }

    /// Checks the stored usage of accounts, which the server compares with quotas.
    private func examineUsage(_ found: inout DoctorReport) throws {
        try doctor.report(Doctor.Progress(activity: label + ": usage", done: 0, total: 0))
        guard let wrong = try table.wrongUsage(), wrong > 0 else { return }
        found.problem(
            "\(label): Usage sums of accounts that do not match their records: \(wrong).",
            remedy:
                "Stop the server and run the doctor with --repair, which recomputes them. Records are not affected.",
            sort: label + " usage")
    }

    /// Reports accounts whose names look the same. Such names are not an error, but people may confuse them.
    private func examineNames(_ found: inout DoctorReport) throws {
        for group in try store.accounts.confusableNames() {
            let names = group.map { "\($0.name) (\($0.recordName))" }.joined(separator: ", ")
            found.notice(
                "\(label): Accounts with names that look the same: \(names). Each signs in with its exact spelling only.",
                remedy:
                    "Ask the owners of all but one to choose another name (PATCH /users/me), or remove unused accounts."
            )
        }
    }

    /// Checks that each API key has an account and a readable scope.
    private func examineKeys(_ found: inout DoctorReport) throws {
        guard try table.hasKeys() else { return }
        let (keys, accounts) = (store.keys, store.accounts)
        var last: Int64 = 0
        while true {
            let page = try keys.list(after: last, limit: Self.slice)
            guard let end = page.last else { return }
            last = end.id
            for key in page {
                if try accounts.find(id: key.account)?.kind != .service {
                    found.problem(
                        "\(label): The key \(key.name) has no service account.",
                        remedy: "Revoke the key and create another one.", sort: label + " key")
                }
                let scope = try? JSONValue.parse(Array(key.scope.utf8))
                if scope.flatMap({ try? KeyScope($0) }) == nil {
                    found.problem(
                        "\(label): The scope of the key \(key.name) cannot be read, so the key has no permissions.",
                        remedy: "Give it a scope in the console, or run: fogbase keys revoke \(key.publicID)",
                        sort: label + " key")
                }
            }
        }
    }

    // MARK: Records

    private mutating func examineRecords(_ found: inout DoctorReport) throws {
        var last = RecordNumber.unassigned
        var done = 0
        while true {
            try doctor.report(Doctor.Progress(activity: label + ": records", done: done, total: total))
            let next = try table.withView {
                schema = try schemas.load(version: 1)
                zones = try table.zones()
                try indexes.refresh()
                return try table.forEachRecord(after: last, limit: Self.slice) { cursor, zone in
                    done += 1
                    try examine(cursor, zone, &found)
                }
            }
            guard let next else { return }
            last = next
        }
    }

    private func examine(_ cursor: RecordRowCursor, _ zone: ZoneID, _ found: inout DoctorReport) throws {
        let row = cursor.row
        let name = String(decoding: cursor.name, as: UTF8.self)
        let type = schema[id: row.type]
        let place = "\(label): The record '\(name)' of type \(type?.name.text ?? "number \(row.type)")"
        if !zones.contains(zone) {
            found.problem(
                "\(place) is in zone number \(zone), which does not exist.",
                remedy: "Restore the directory from a backup.", sort: label + " zone")
        }
        if row.isDeleted {
            if !cursor.layout.isEmpty || !cursor.fields.isEmpty {
                found.problem(
                    "\(place) is deleted and still has fields.",
                    remedy: "Create the record again with its name, then delete it.",
                    sort: label + " tombstone")
            }
            return
        }
        do throws(RecordError) {
            let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
            try view.check()
        } catch {
            var field = ""
            if case .number(let id)? = error.details.first?.value {
                field = " in field " + (type?[id: Int(id)]?.name.text ?? "number \(id)")
            }
            found.problem(
                "\(place) has a stored form that does not fit its layout\(field).",
                remedy: "Write the record again with PUT from a backup, or delete it.",
                sort: label + " layout")
            return
        }
        let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
        for entry in view.entries {
            examineDefinition(of: entry, view, type, place, &found)
            if entry.isExternal { try examineExternal(entry, record: row.id, place, &found) }
        }
        try indexes.examine(view, cursor, zone: zone, place, &found)
        try audiences?.examine(row, zone: zone, place, &found)
        try assets?.examine(view, record: row.id, place, &found)
        let references = try view.references(includingNone: false)
        // If a list has two references to the same target, the edge has the stronger of the two actions.
        let validated = Set(
            references.lazy.filter { $0.reference.action == .validate }
                .map { ReferenceTarget(field: $0.fieldID, name: $0.reference.recordName) })
        for (field, reference) in references {
            let isValidated = validated.contains(ReferenceTarget(field: field, name: reference.recordName))
            let expected = isValidated ? .validate : reference.action
            let action = try table.edgeAction(
                zone: zone, target: reference.recordName.text, source: row.id, field: field)
            if action != expected.rawValue {
                found.problem(
                    "\(place) refers to '\(reference.recordName.text)', which is not in the reference table.",
                    remedy: "Remove the reference from the record with PATCH, then set it again.",
                    sort: label + " edge")
            }
        }
    }

    private func examineDefinition(
        of entry: LayoutEntry, _ view: StoredFieldsView, _ type: RecordTypeDefinition?, _ place: String,
        _ found: inout DoctorReport
    ) {
        guard let type else { return }
        let definition = type[id: entry.fieldID]
        let fits = definition.map { entry.type.stands(in: $0.type) } ?? false
        let name = view.name(of: entry)
        // Until slices have rewritten a record after a rename, it has an earlier name of the field.
        let isNamed = definition.map {
            $0.name.text == name || type.hasFormerNames && type.names(of: $0).contains(name)
        }
        if isNamed != true || !fits {
            found.problem(
                "\(place) has a field '\(name)' of type \(entry.type.schemaName), which is not the schema's field number \(entry.fieldID).",
                remedy: "Restore the directory from a backup, or write the record again with PUT.",
                sort: label + " field")
        }
    }

    private func examineExternal(
        _ entry: LayoutEntry, record: RecordNumber, _ place: String, _ found: inout DoctorReport
    ) throws {
        let field = "field number \(entry.fieldID)"
        let remedy = "Write the field again with PATCH from a backup, or remove it with null."
        try table.withLargeValue(record: record, field: entry.fieldID) { value in
            guard let value else {
                found.problem(
                    "\(place) lacks the large value of its \(field).", remedy: remedy, sort: label + " missing")
                return
            }
            if value.count != entry.externalLength
                || CanonicalValue.check(value, as: entry.type) != entry.decodedSize
            {
                found.problem(
                    "\(place) has a damaged large value in its \(field).", remedy: remedy, sort: label + " large")
            }
        }
    }
}

private struct ReferenceTarget: Hashable {
    let field: Int
    let name: RecordName
}
