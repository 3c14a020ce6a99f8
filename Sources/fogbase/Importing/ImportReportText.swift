import CloudKitImport

/// The report of an import, for people.
enum ImportReportText {
    /// How many records, users and names are listed one by one.
    private static let mostListed = 20

    static func lines(of report: ImportReport, source: SourceDatabase) -> [String] {
        let database = source.isPrivate ? "private" : "public"
        var lines = [
            "\(report.isDryRun ? "Read" : "Imported") \(source.container) (\(source.environment), \(database) database) from \(source.url)"
                + (report.isDryRun ? "; nothing was written." : ".")
        ]
        lines += counts(report)
        for (zone, count) in report.deleted.sorted(by: { $0.key < $1.key }) {
            lines.append("\(zone): \(records(count)) deleted, as at the source.")
        }
        for unread in report.unread {
            let name = unread.walk.type.map { "The type \($0)" } ?? "The zone \(unread.walk.zone)"
            lines += ["", "\(name) could not be read: \(unread.reason).", "  \(unread.advice)."]
        }
        lines += problems(report)
        lines += differences(report)
        if report.isComplete, report.differences.isEmpty, report.users.isEmpty, report.dangling.isEmpty,
            !report.rows.contains(where: \.differs)
        {
            lines += ["", "There are no differences."]
        }
        return lines
    }

    private static func counts(_ report: ImportReport) -> [String] {
        guard !report.rows.isEmpty else { return ["", "There were no records."] }
        var rows = [["ZONE", "TYPE", "READ", "CARRIED OVER", "HERE", ""]]
        for row in report.rows {
            rows.append([
                row.zone, row.type, JobProgress.grouped(row.carried + row.failed), JobProgress.grouped(row.carried),
                row.here.map(JobProgress.grouped) ?? "", remark(row),
            ])
        }
        return [""] + Terminal.table(rows)
    }

    private static func remark(_ row: ImportReport.Row) -> String {
        if row.isPartial { return "only changes" }
        guard row.differs, let here = row.here else { return "" }
        return here > row.carried ? "more here than at the source" : "fewer here than at the source"
    }

    private static func problems(_ report: ImportReport) -> [String] {
        guard !report.problems.isEmpty else { return [] }
        var lines = [
            "", "\(records(Int64(report.problems.count))) could not be carried over. The next run tries again:",
        ]
        for problem in report.problems.prefix(mostListed) {
            let type = problem.type.isEmpty ? "" : problem.type + " "
            lines.append("  \(problem.place.zone): \(type)\(problem.place.name): \(problem.reason).")
        }
        if report.problems.count > mostListed {
            lines.append(
                "  … and \(JobProgress.grouped(Int64(report.problems.count - mostListed))) more; --json lists all.")
        }
        return lines
    }

    private static func differences(_ report: ImportReport) -> [String] {
        var lines = report.differences.map { difference in
            let note = difference.note
            let field = note.subject.isEmpty ? note.type : "\(note.type).\(note.subject)"
            return "\(field): \(sentence(note.kind)) (\(records(difference.count)))."
        }
        for dangling in report.dangling {
            lines.append(
                "\(dangling.type).\(dangling.field) in \(dangling.zone): \(dangling.count) references lead to no record, such as \(dangling.examples.joined(separator: ", "))."
            )
        }
        if !report.users.isEmpty {
            let names = report.users.keys.filter { !$0.isEmpty }.sorted()
            lines.append(
                "Users without an account here: \(names.prefix(mostListed).joined(separator: ", "))\(names.count > mostListed ? ", …" : ""). Their records count as created or modified by the administrator. Name accounts for them with --users before the first run."
            )
        }
        return lines.isEmpty ? [] : ["", "Differences from the source:"] + lines.map { "  " + $0 }
    }

    private static func sentence(_ kind: ImportNote.Kind) -> String {
        switch kind {
        case .encrypted: "the field is encrypted at the source, and not encrypted here"
        case .unknownType: "the field has a type that Fogbase does not know, and is left out"
        case .otherZone: "references into another zone are left out"
        case .parent: "the parent is left out"
        case .share: "the share is left out"
        case .notValidated: "references with VALIDATE lead to missing records, and have the action NONE"
        case .otherCreation: "the records were here already, and keep their creation date and creator"
        case .userReference: "references to users without an account here are kept as they are"
        case .unmappedUser: "users have no account here"
        }
    }

    private static func records(_ count: Int64) -> String {
        count == 1 ? "1 record" : JobProgress.grouped(count) + " records"
    }
}
