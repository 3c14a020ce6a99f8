import RecordEngine

/// `fogbase doctor`: reports the state of the data directory.
enum DoctorCommand {
    static let options = [
        CommandOption(
            flag: "--quick", placeholder: nil,
            help: "skip the checks of indexes and of each record"),
        CommandOption(
            flag: "--repair", placeholder: nil,
            help: "recompute wrong usage sums of accounts; only without a running server"),
    ]

    /// Examines the data directory and prints the results.
    ///
    /// - Parameter repairs: Whether to recompute usage totals before the examination.
    /// - Throws: `Failure` if a repair fails.
    static func run(_ settings: Settings, isQuick: Bool, repairs: Bool) throws(Failure) -> ExitCode {
        let doctor = Doctor(isQuick: isQuick) { progress in
            let share =
                progress.total > 0
                ? " \(progress.done * 100 / progress.total) %" : progress.done > 0 ? " \(progress.done)" : ""
            Terminal.showProgress(progress.activity + share)
        }
        if repairs {
            do {
                for repair in try doctor.repair(dataPath: settings.dataPath) {
                    let what = repair.sums == 1 ? "1 sum" : "\(repair.sums) sums"
                    Terminal.say("repaired \(repair.label): \(what) of usage")
                }
            } catch {
                throw Failure("\(error)")
            }
        }
        let report = doctor.examine(dataPath: settings.dataPath)
        Terminal.showProgress("")
        for line in lines(for: report, isQuick: isQuick) { Terminal.say(line) }
        return report.isHealthy ? .success : .failure
    }

    static func lines(for report: DoctorReport, isQuick: Bool) -> [String] {
        var lines = [
            report.dataPath + (report.freeBytes > 0 ? ": \(ByteCount.showRounded(report.freeBytes)) free" : "")
        ]
        for database in report.databases { lines += figures(of: database) }
        lines.append("")
        for finding in report.findings {
            lines.append((finding.kind == .problem ? "PROBLEM  " : "notice   ") + finding.sentence)
            if !finding.remedy.isEmpty { lines.append("         " + finding.remedy) }
        }
        if report.omitted > 0 { lines.append("PROBLEM  … and \(report.omitted) more of this kind.") }
        lines.append("")
        let problems = report.findings.count { $0.kind == .problem } + report.omitted
        if problems > 0 {
            lines.append("\(problems) \(problems == 1 ? "problem" : "problems") found.")
        } else {
            lines.append(
                isQuick ? "No problems found. Without --quick, each record is also checked." : "No problems found.")
        }
        return lines
    }

    private static func figures(of database: DoctorReport.Database) -> [String] {
        let use = database.isInUse ? "in use by a running server" : "not in use"
        var lines = [
            "", "\(database.container)/\(database.environment): \(use)",
            "  file \(ByteCount.showRounded(database.databaseBytes)), WAL \(ByteCount.showRounded(database.walBytes))",
            "  accounts \(database.accounts), API keys \(database.keys), sessions \(database.sessions), zones \(database.zones), "
                + "subscriptions \(database.subscriptions)",
        ]
        guard !database.types.isEmpty else { return lines }
        var rows = [["TYPE", "FIELDS", "RECORDS", "TOMBSTONES"]]
        for type in database.types {
            rows.append([type.name, String(type.fields), String(type.records), String(type.tombstones)])
        }
        lines += Terminal.table(rows, indent: "  ")
        return lines
    }
}
