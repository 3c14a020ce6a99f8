import RecordWire
import Testing

@testable import fogbase

/// How `fogbase jobs` shows jobs.
@Suite struct JobsCommandTests {
    private static func job(_ json: String) throws -> JSONValue { try JSONValue.parse(Array("{\(json)}".utf8)) }

    private static func progress(_ json: String) throws -> JobProgress { JobProgress(try job(json)) }

    private static let running =
        #""id":"6f","state":"running","total":500000,"done":120000,"skipped":0,"rate":24000,"secondsLeft":16,"started":1000"#

    @Test(arguments: [
        (100, "[#########-------------------------------]   24 %  120,000 of 500,000  24,000/s  16 s left"),
        (72, "[#####----------------]   24 %  120,000 of 500,000  24,000/s  16 s left"),
        (60, "[##-------]   24 %  120,000 of 500,000  24,000/s  16 s left"),
        (40, "[##--------]   24 %  120,000 of 500,000"), (20, "[##--------]   24 %"), (10, " 24 %"), (1, ""), (0, ""),
    ])
    func `a bar fits the terminal, and parts that do not are left out`(width: Int, bar: String) throws {
        #expect(try Self.progress(Self.running).bar(width: width, now: 6_000) == bar)
    }

    @Test func `a bar is filled by what is done and skipped, and full only at the end`() throws {
        func bar(_ json: String) throws -> Substring {
            try Self.progress(json).bar(width: 40, now: 0).prefix { $0 != " " }
        }
        #expect(try bar(#""state":"running","total":10,"done":3,"skipped":2"#).filter { $0 == "#" }.count > 0)
        let nearly = try Self.progress(#""state":"running","total":100000,"done":99999,"skipped":0"#)
        #expect(nearly.percent == "99 %" && nearly.bar(width: 120, now: 0).contains("#-]"))
        let done = try Self.progress(#""state":"succeeded","total":10,"done":4,"skipped":1"#)
        #expect(done.percent == "100 %" && !done.bar(width: 120, now: 0).contains("-]"))
        #expect(try Self.progress(#""state":"running","total":0,"done":0,"skipped":0"#).percent == "100 %")
    }

    @Test func `a job without a total shows the time since its start`() throws {
        let job = try Self.progress(#""state":"running","done":1200,"skipped":0,"started":1000"#)
        #expect(job.bar(width: 80, now: 126_000) == "1,200 done  2 min 05 s")
        #expect(job.line(now: 126_000) == "running: 1,200 done")
        // The system time may be behind that of the server's start.
        #expect(job.bar(width: 80, now: 0) == "1,200 done  0 s")
    }

    @Test func `lines tell the state, the amounts and the time`() throws {
        #expect(
            try Self.progress(Self.running).line(now: 0)
                == "running: 24 %, 120,000 of 500,000, 24,000/s, 16 s left")
        let paused = try Self.progress(#""state":"paused","total":8,"done":2,"skipped":1"#)
        #expect(paused.line(now: 0) == "paused: 37 %, 2 of 8, 1 skipped")
        #expect(paused.bar(width: 80, now: 0).hasSuffix("  37 %  paused  2 of 8, 1 skipped"))
        let ended = try Self.progress(
            #""state":"succeeded","total":8,"done":8,"skipped":0,"rate":3,"started":1000,"ended":62000"#)
        #expect(ended.line(now: 999_000) == "succeeded: 100 %, 8 of 8, in 1 min 01 s")
    }

    @Test(arguments: [(0, "0 s"), (59, "59 s"), (60, "1 min 00 s"), (3_599, "59 min 59 s"), (11_260, "3 h 07 min")])
    func `durations have two units`(seconds: Int64, text: String) {
        #expect(JobProgress.duration(seconds) == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678"), (-1_200, "-1,200")])
    func `numbers have commas between thousands`(number: Int64, text: String) {
        #expect(JobProgress.grouped(number) == text)
    }

    @Test func `a line is printed for each state, and between them once per second`() throws {
        var lines = JobLines()
        func next(_ state: String, _ done: Int, at now: Int64) throws -> String? {
            lines.next(try Self.progress(#""state":"\#(state)","total":10,"done":\#(done),"skipped":0"#), now: now)
        }
        #expect(try next("queued", 0, at: 5_000) == "queued: 0 %, 0 of 10")
        #expect(try next("running", 0, at: 5_001) == "running: 0 %, 0 of 10")
        #expect(try next("running", 1, at: 6_000) == nil)
        #expect(try next("running", 2, at: 6_001) == "running: 20 %, 2 of 10")
        // Nothing new.
        #expect(try next("running", 2, at: 9_000) == nil)
        #expect(try next("running", 3, at: 9_001) == "running: 30 %, 3 of 10")
        // The system time was set back.
        #expect(try next("running", 4, at: 4_000) == "running: 40 %, 4 of 10")
        #expect(try next("succeeded", 10, at: 4_001) == "succeeded: 100 %, 10 of 10")
    }

    @Test func `the list has a row for each job`() throws {
        let rows = JobsCommand.table(of: [
            try Self.job(
                Self.running + #","kind":"deleteRecords","task":{"recordType":"Post"},"by":{"kind":"user","name":"_a"}"#
            ),
            try Self.job(#""id":"7","kind":"dropIndex","state":"failed","done":0,"by":{"kind":"server","name":""}"#),
        ])
        #expect(
            rows[1] == [
                "6f", "deleteRecords", "Post", "running", "24 %, 120,000 of 500,000", "16 s", "_a", "", "",
            ])
        #expect(rows[2] == ["7", "dropIndex", "", "failed", "0 done", "", "server", "", ""])
        #expect(rows.allSatisfy { $0.count == rows[0].count })
    }

    @Test func `the facts of a job leave out what it does not have`() throws {
        let job = try Self.job(
            #""id":"6f","kind":"deleteRecords","state":"failed","database":"public","total":3,"done":1,"skipped":2,"#
                + #""task":{"recordType":"Post","where":"a == %@","args":["b"],"maxAffected":1000},"#
                + #""skipReasons":[{"count":2,"reason":"No access","recordNames":["x","y"]}],"error":{"reason":"Gone"}"#
        )
        let facts = JobsCommand.facts(of: job, now: 0)
        #expect(facts.contains(["where", "a == %@"]) && facts.contains(["arguments", #""b""#]))
        #expect(facts.contains(["at most", "1,000"]) && facts.contains(["error", "Gone"]))
        #expect(facts.contains(["skipped", "2: No access (x, y)"]))
        #expect(!facts.contains { $0[0] == "fields" || $0[0] == "schedule" || $0[0] == "ended" })
    }

    @Test func `only a job that has succeeded is a success`() throws {
        func check(_ json: String) throws { try JobsCommand.check(try Self.job(#""id":"6f","# + json)) }
        try check(#""state":"succeeded""#)
        #expect(throws: Failure("The job 6f was canceled. Changes that were done stay.")) {
            try check(#""state":"cancelled""#)
        }
        #expect(throws: Failure("The job 6f has failed: The key is revoked.")) {
            try check(#""state":"failed","error":{"reason":"The key is revoked"}"#)
        }
    }

    @Test(arguments: [
        (
            "jobs",
            "'jobs' needs another word: jobs list, jobs show, jobs watch, jobs pause, jobs resume, jobs cancel, jobs delete."
        ),
        ("jobs watch", "'fogbase jobs watch' needs ID."),
        ("jobs pause a b", "'fogbase jobs pause' has no parameter for 'b'."),
        ("jobs wacth 1", "Did you mean jobs watch?"), ("jobs list --unfinised", "Did you mean --unfinished?"),
    ])
    func `a wrong command line is explained`(line: String, sentence: String) {
        let failure = #expect(throws: Failure.self) { try Arguments(line.split(separator: " ").map(String.init)) }
        #expect(
            failure?.code == .usage && failure?.sentences.first?.contains(sentence) == true,
            "\(failure?.sentences ?? [])")
    }
}
