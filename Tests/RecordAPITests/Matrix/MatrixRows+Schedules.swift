import HTTP
import RecordAPI

extension MatrixRow {
    /// Requests of callers that may manage schedules. All others learn nothing of a schedule, not even whether it exists.
    private static func managers(_ status: Int) -> [Int] {
        .administrators(status, status, 403, 403)
    }

    /// A request about one schedule.
    private static func one(
        _ route: String, _ method: HTTPMethod, _ path: String = "", _ body: String? = nil, _ status: Int = 200
    ) -> MatrixRow {
        MatrixRow(
            route, method, "/schedules/nightly-kx94\(path)", body, managers(status),
            twin: ("nightly-kx94", "missing-kx94"))
    }

    private static let task =
        #"{"cron":"0 3 * * *","task":{"kind":"deleteRecords","recordType":"Staff","where":"title == 'x'"}}"#

    static let schedules: [MatrixRow] = [
        MatrixRow("listSchedules", .get, "/schedules", managers(200)),
        one("readSchedule", .get),
        MatrixRow("putSchedule", .put, "/schedules/other", task, managers(201)),
        MatrixRow("putSchedule", .put, "/schedules/nightly-kx94", task, managers(200)),
        MatrixRow(
            "putSchedule", .put, "/schedules/private?database=private&owner={creator}", task,
            .administrators(201, 403, 403, 403)),
        MatrixRow("putSchedule", .put, "/schedules/a.b", task, managers(400)),
        MatrixRow("putSchedule", .put, "/schedules/other", #"{"cron":"0 3 * * *"}"#, managers(400)),
        one("deleteSchedule", .delete, "", nil, 204),
        one("runSchedule", .post, "/run", nil, 202),
    ]
}
