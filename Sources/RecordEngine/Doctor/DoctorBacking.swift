internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The checks of rows that belong to records: reference edges and large values.
extension DatabaseCheck {
    func examineEdges(_ found: inout DoctorReport) throws {
        var last: InspectionTable.Edge?
        var done = 0
        while true {
            try doctor.report(Doctor.Progress(activity: label + ": references", done: done, total: 0))
            let edges = try table.withView {
                let edges = try table.edges(after: last, limit: Self.slice)
                for edge in edges where try !isBacked(edge) {
                    found.problem(
                        "\(label): The table of references has an entry for '\(edge.target)' that matches no record (from record number \(edge.source)).",
                        remedy:
                            "Restore the directory from a backup before you delete '\(edge.target)': the delete could cascade to, or fail because of, a record without this reference.",
                        sort: label + " orphan edge")
                }
                return edges
            }
            guard let next = edges.last else { return }
            last = next
            done += edges.count
        }
    }

    /// Returns whether the source record of a reference edge refers to the edge's target.
    private func isBacked(_ edge: InspectionTable.Edge) throws -> Bool {
        try table.withRecord(edge.source) { cursor, zone in
            guard let cursor, !cursor.row.isDeleted, zone == edge.zone else { return false }
            do throws(RecordError) {
                let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
                return try view.references(includingNone: false).contains {
                    $0.fieldID == edge.field && $0.reference.recordName.text == edge.target
                }
            } catch {
                // The record itself is damaged. Another check reports it.
                return true
            }
        }
    }

    func examineLargeValues(_ found: inout DoctorReport) throws {
        var last: Int64 = 0
        var done = 0
        while true {
            try doctor.report(Doctor.Progress(activity: label + ": large values", done: done, total: 0))
            let values = try table.withView {
                let values = try table.largeValues(after: last, limit: Self.slice)
                for value in values where try !isBacked(value) {
                    found.problem(
                        "\(label): A large value is stored for field number \(value.field) of record number \(value.record), which has none.",
                        remedy: "It uses space and is otherwise harmless.",
                        sort: label + " orphan value")
                }
                return values
            }
            guard let next = values.last else { return }
            last = next.id
            done += values.count
        }
    }

    /// Returns whether the record of a large value has the value's field, and stores it outside its row.
    private func isBacked(_ value: InspectionTable.LargeValue) throws -> Bool {
        try table.withRecord(value.record) { cursor, _ in
            guard let cursor, !cursor.row.isDeleted else { return false }
            do throws(RecordError) {
                let view = try StoredFieldsView(text: cursor.fields, layout: cursor.layout)
                return view.entry(value.field)?.isExternal == true
            } catch {
                return true
            }
        }
    }
}
