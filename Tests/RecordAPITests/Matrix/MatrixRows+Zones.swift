import HTTP
import RecordAPI

extension MatrixRow {
    /// The zone `kept-kx95` is in the private database of the creator, which also its server's owners may use.
    private static func ofCreator(_ status: Int) -> [Int] {
        [401, 403, status, 403, 403, 403, 403, status, 403, 403, 403, status]
    }

    /// The shared database, which only users have.
    private static func ofUsers(_ status: Int) -> [Int] {
        [401, status, status, status, 403, 403, 403, 403, 403, 403, 403, 403]
    }

    private static let place = "database=private&owner={creator}"

    static let zones: [MatrixRow] = [
        MatrixRow("listZones", .get, "/zones", .everybody(200)),
        MatrixRow("listZones", .get, "/zones?\(place)", ofCreator(200)),
        MatrixRow("readZone", .get, "/zones/_defaultZone", .everybody(200)),
        MatrixRow("readZone", .get, "/zones/kept-kx95?\(place)", ofCreator(200)),
        MatrixRow("readZone", .get, "/zones/kept-kx95", .everybody(404), twin: ("kept-kx95", "miss-kx95")),
        MatrixRow("createZone", .put, "/zones/other?\(place)", ofCreator(201)),
        MatrixRow("createZone", .put, "/zones/other", .everybody(400)),
        MatrixRow("deleteZone", .delete, "/zones/kept-kx95?\(place)", ofCreator(204)),
        MatrixRow("deleteZone", .delete, "/zones/kept-kx95", .everybody(400), twin: ("kept-kx95", "miss-kx95")),
        MatrixRow("fetchZoneChanges", .get, "/changes/zones?\(place)", ofCreator(200)),
        MatrixRow("fetchZoneChanges", .get, "/changes/zones", .everybody(400)),
        MatrixRow("fetchZoneChanges", .get, "/changes/zones?database=shared", ofUsers(200)),
        MatrixRow("createZoneTicket", .post, "/changes/zones/tickets?\(place)", ofCreator(201)),
        MatrixRow("createZoneTicket", .post, "/changes/zones/tickets?database=shared", ofUsers(201)),
        MatrixRow("listRecords", .get, "/records/Secret?\(place)&zone=kept-kx95", ofCreator(200)),
        MatrixRow(
            "modifyRecords", .post, "/records?\(place)",
            #"{"operations":[{"operationType":"create","record":{"recordType":"Secret","zoneID":{"zoneName":"kept-kx95"}}}]}"#,
            ofCreator(200)),
        MatrixRow("fetchChanges", .get, "/changes?\(place)&zone=kept-kx95", ofCreator(200)),
        MatrixRow("readShare", .get, "/shares/none", .everybody(404)),
        MatrixRow(
            "acceptShare", .post, "/shares/none/accept",
            [401, 404, 404, 404, 403, 403, 403, 403, 403, 403, 403, 403]),
    ]
}
