import ForeignImport

/// The report of a conversion, for people.
enum ForeignReportText {
    /// How many records, accounts and names are listed one by one.
    private static let mostListed = 20

    /// - Parameters:
    ///   - path: The data set.
    ///   - isDryRun: Whether nothing was written.
    static func lines(of report: ConversionReport, path: String, isDryRun: Bool) -> [String] {
        var lines = ["\(isDryRun ? "Read" : "Converted") \(path)" + (isDryRun ? "; nothing was written." : ".")]
        lines += counts(report)
        lines += rejections(report)
        lines += differences(report)
        lines += passwords(report)
        if report.isComplete, report.differences.isEmpty, report.withoutPassword == 0 {
            lines += ["", "There are no differences."]
        }
        return lines
    }

    private static func counts(_ report: ConversionReport) -> [String] {
        guard !report.rows.isEmpty else { return ["", "There were no records."] }
        var rows = [["SOURCE", "TYPE", "RECORDS", "LEFT OUT", "FIELDS"]]
        for row in report.rows {
            rows.append(
                [row.source, row.type]
                    + [row.records, row.rejected, row.fields].map { JobProgress.grouped(Int64($0)) })
        }
        var totals: [String] = []
        if report.accounts > 0 { totals.append(counted(report.accounts, "account", "accounts")) }
        if report.roles > 0 { totals.append(counted(report.roles, "role", "roles")) }
        if report.files > 0 {
            totals.append(
                counted(report.files, "file", "files") + " with \(JobProgress.grouped(report.fileBytes)) bytes")
        }
        return [""] + Terminal.table(rows) + (totals.isEmpty ? [] : ["", totals.joined(separator: ", ") + "."])
    }

    private static func rejections(_ report: ConversionReport) -> [String] {
        guard report.rejected > 0 else { return [] }
        var lines = ["", "\(counted(report.rejected, "object was", "objects were")) left out:"]
        for rejection in report.rejections.prefix(mostListed) {
            lines.append("  \(rejection.place): \(rejection.reason).")
        }
        let rest = report.rejected - min(report.rejections.count, mostListed)
        if rest > 0 { lines.append("  … and \(JobProgress.grouped(Int64(rest))) more; --json lists them.") }
        return lines
    }

    private static func differences(_ report: ConversionReport) -> [String] {
        guard !report.differences.isEmpty else { return [] }
        return ["", "Differences from the source:"]
            + report.differences.map { entry in
                let subject = entry.note.subject.isEmpty ? "" : entry.note.subject + ": "
                let example = entry.example.map { ", such as \($0)" } ?? ""
                let count = entry.count > 1 ? " (\(JobProgress.grouped(Int64(entry.count))) times)" : ""
                return "  \(subject)\(entry.note.text)\(example)\(count)."
            }
    }

    private static func passwords(_ report: ConversionReport) -> [String] {
        guard report.withoutPassword > 0 else { return [] }
        let names = report.namesWithoutPassword.prefix(mostListed).joined(separator: ", ")
        return [
            "",
            "\(counted(report.withoutPassword, "account has", "accounts have")) no password: \(names)\(report.withoutPassword > mostListed ? ", …" : "").",
            "  'fogbase users set-password' sets one.",
        ]
    }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "1 \(one)" : "\(JobProgress.grouped(Int64(count))) \(many)"
    }
}
