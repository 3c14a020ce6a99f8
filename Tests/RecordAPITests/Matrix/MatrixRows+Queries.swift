import HTTP
import RecordAPI

extension MatrixRow {
    /// Queries count and find the records that the caller may read; unreadable fields cannot be queried.
    static let queries: [MatrixRow] =
        [
            (
                "Open", [200, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]
            ),
            (
                "Own", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]
            ),
            (
                "Staff", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                [0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1]
            ),
            (
                "Listed", [200, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                [0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]
            ),
            (
                "Drop", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]
            ),
        ].flatMap { (type: String, statuses: [Int], counts: [Int]) -> [MatrixRow] in
            [
                MatrixRow(
                    "queryRecords", .get, "/query/\(type)?aggregate=count,min(title)&groupBy=recordName", statuses),
                MatrixRow(
                    "queryRecordsByBody", .post, "/query",
                    #"{"recordType":"\#(type)","aggregate":{"values":["count","max(title)"],"groupBy":["title"]}}"#,
                    statuses),
                MatrixRow("queryRecords", .get, "/query/\(type)?count=true&explain=true", statuses, counts: counts),
                MatrixRow(
                    "queryRecords", .get, "/query/\(type)?count=true&sort=-recordName&where=title!='x'&limit=1",
                    statuses,
                    counts: counts),
                MatrixRow(
                    "queryRecords", .get, "/query/\(type)?expand=createdUserRecordName,modifiedUserRecordName",
                    statuses,
                    counts: counts),
                MatrixRow(
                    "queryRecordsByBody", .post, "/query",
                    #"{"recordType":"\#(type)","where":"title BEGINSWITH %@ OR title == 'seaside'","args":["\#(type.lowercased())"],"count":true}"#,
                    statuses, counts: counts),
            ]
        } + [
            MatrixRow(
                "queryRecords", .get, "/query/Good?where=cost>5",
                [400, 400, 400, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                counts: [0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
            MatrixRow(
                "queryRecords", .get, "/query/Good?aggregate=sum(cost)",
                [400, 400, 400, 200, 200, 403, 200, 200, 200, 200, 200, 200]),
            MatrixRow(
                "queryRecords", .get, "/query/Good?groupBy=note",
                [400, 400, 400, 400, 200, 403, 200, 200, 200, 200, 200, 200]),
            MatrixRow(
                "queryRecords", .get, "/query/Good?sort=-cost",
                [400, 400, 400, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                counts: [0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
            MatrixRow(
                "queryRecords", .get, "/query/Good?where=title=='q'%20OR%20note%20BEGINSWITH%20'n'",
                [400, 400, 400, 400, 200, 403, 200, 200, 200, 200, 200, 200],
                counts: [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1]),
            MatrixRow(
                "queryRecords", .get, "/query/Good?count=true",
                [200, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
                counts: [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        ]

    /// Bulk changes match the records that the caller may read, and change those that it may write.
    static let sets: [MatrixRow] =
        [
            ("Open", [401, 200, 200, 200, 200, 403, 403, 200, 200, 200, 403, 200]),
            ("Own", [401, 200, 200, 200, 200, 403, 403, 200, 200, 200, 403, 200]),
            ("Staff", [401, 200, 200, 200, 200, 403, 403, 200, 200, 200, 403, 200]),
            ("Listed", [401, 200, 200, 200, 200, 403, 403, 200, 200, 200, 403, 200]),
        ].flatMap { (type: String, statuses: [Int]) -> [MatrixRow] in
            [
                MatrixRow("deleteSet", .delete, "/query/\(type)?all=true", statuses),
                MatrixRow("deleteSet", .delete, "/query/\(type)?where=title!='q'&dryRun=true&maxAffected=5", statuses),
                MatrixRow("changeSet", .patch, "/query/\(type)?all=true", #"{"fields":{"title":"x"}}"#, statuses),
            ]
        } + [
            MatrixRow(
                "changeSet", .patch, "/query/Good?where=cost==731731731", #"{"fields":{"title":"x"}}"#,
                [401, 400, 400, 200, 200, 403, 403, 200, 200, 200, 403, 200])
        ]
}
