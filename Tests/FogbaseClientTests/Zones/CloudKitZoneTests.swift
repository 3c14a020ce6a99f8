import FogbaseClient
import Foundation
import Testing

/// The behavior of code with zones that was written for CloudKit.
@Suite struct CloudKitZoneTests {
    private let server = InMemoryServer()

    private func signUp() async throws -> FBDatabase {
        let container = server.makeClient().container()
        try await container.signUp("ann", password: "correct horse battery")
        return FBContainer(container).privateCloudDatabase
    }

    private func code(_ body: () async throws -> some Any) async throws -> FBError.Code? {
        do {
            _ = try await body()
            return nil
        } catch let error as FBError {
            return error.code
        }
    }

    @Test func `zones are saved, listed and deleted`() async throws {
        let database = try await signUp()
        let zone = FBRecordZone(zoneName: "Notebook")
        let saved = try await database.save(zone)
        #expect(saved == zone && saved.zoneID.ownerName == FBCurrentUserDefaultName)
        #expect(try await database.save(FBRecordZone.default()) == .default())
        #expect(try await database.allRecordZones() == [.default(), zone])
        #expect(try await database.recordZone(for: zone.zoneID) == zone)
        let none = FBRecordZone.ID(zoneName: "None")
        #expect(try await code { try await database.recordZone(for: none) } == .zoneNotFound)
        let several = try await database.recordZones(for: [zone.zoneID, none])
        #expect(try several[zone.zoneID]?.get() == zone && several[none] != nil)
        #expect(throws: FBError.self) { try several[none]?.get() }
        let (saves, deletions) = try await database.modifyRecordZones(
            saving: [FBRecordZone(zoneName: "Diary"), FBRecordZone(zoneName: "_mine")], deleting: [zone.zoneID, none])
        #expect(try saves[FBRecordZone.ID(zoneName: "Diary")]?.get().zoneID.zoneName == "Diary")
        #expect(throws: FBError.self) { try saves[FBRecordZone.ID(zoneName: "_mine")]?.get() }
        try deletions[zone.zoneID]?.get()
        #expect(throws: FBError.self) { try deletions[none]?.get() }
        #expect(try await database.allRecordZones().map(\.zoneID.zoneName) == [Zone.defaultName, "Diary"])
        #expect(try await database.deleteRecordZone(withID: FBRecordZone.ID(zoneName: "Diary")).zoneName == "Diary")
        #expect(try await code { try await database.deleteRecordZone(withID: none) } == .zoneNotFound)
        let foreign = FBRecordZone.ID(zoneName: "Diary", ownerName: "_somebody")
        #expect(try await code { try await database.recordZone(for: foreign) } == .invalidArguments)
    }

    @Test func `records of several zones are saved, found and deleted by their identifiers`() async throws {
        let database = try await signUp()
        let zones = ["A", "B"].map { FBRecordZone(zoneName: $0) }
        for zone in zones { try await database.save(zone) }
        let records = (zones.map(\.zoneID) + [.default]).map { zoneID in
            FBRecord(recordType: "Page", recordID: FBRecord.ID(recordName: "p", zoneID: zoneID))
        }
        for record in records { record["title"] = "in \(record.recordID.zoneID.zoneName)" }
        records[0]["of"] = FBRecord.Reference(recordID: FBRecord.ID(recordName: "q", zoneID: zones[0].zoneID))
        let (saved, _) = try await database.modifyRecords(saving: records, deleting: [])
        #expect(saved.count == 3)
        for record in records {
            let read = try await database.record(for: record.recordID)
            #expect(
                read["title"] as? String == "in \(record.recordID.zoneID.zoneName)" && read.recordID == record.recordID)
        }
        let read = try await database.record(for: records[0].recordID)
        #expect((read["of"] as? FBRecord.Reference)?.recordID.zoneID == zones[0].zoneID)
        let query = FBQuery(recordType: "Page", predicate: FBPredicate(value: true))
        let (found, _) = try await database.records(matching: query, inZoneWith: zones[1].zoneID)
        #expect(found.map(\.0) == [records[1].recordID])
        #expect(try await database.perform(query, inZoneWith: zones[0].zoneID).map(\.recordID) == [records[0].recordID])

        // A conflict has the zone of its record.
        read["title"] = "first"
        try await database.save(read)
        records[0]["title"] = "second"
        do {
            try await database.save(records[0])
            Issue.record("It was saved over the other's change")
        } catch let error as FBError {
            #expect(error.code == .serverRecordChanged && error.serverRecord?.recordID == records[0].recordID)
        }
        let gone = FBRecord.ID(recordName: "p", zoneID: FBRecordZone.ID(zoneName: "None"))
        let (_, deleted) = try await database.modifyRecords(
            saving: [], deleting: [records[1].recordID, FBRecord.ID(recordName: "p"), gone])
        try deleted[records[1].recordID]?.get()
        try deleted[FBRecord.ID(recordName: "p")]?.get()
        #expect(try await code { try deleted[gone]?.get() } == .zoneNotFound)
        #expect(try await code { try await database.record(for: records[2].recordID) } == .unknownItem)
    }

    @Test func `pages of a query stay in their zone`() async throws {
        let database = try await signUp()
        let zone = try await database.save(FBRecordZone(zoneName: "A"))
        let records = (0..<5).map { index in
            FBRecord(recordType: "Page", recordID: FBRecord.ID(recordName: "p\(index)", zoneID: zone.zoneID))
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let query = FBQuery(recordType: "Page", predicate: FBPredicate(value: true))
        var (results, cursor) = try await database.records(matching: query, inZoneWith: zone.zoneID, resultsLimit: 2)
        while let next = cursor {
            let page = try await database.records(continuingMatchFrom: next, resultsLimit: 2)
            results += page.matchResults
            cursor = page.queryCursor
        }
        #expect(results.map(\.0) == records.map(\.recordID))
    }

    @Test func `changes of a database lead to those of its zones`() async throws {
        let database = try await signUp()
        let zone = try await database.save(FBRecordZone(zoneName: "A"))
        let record = FBRecord(recordType: "Page", recordID: FBRecord.ID(recordName: "p", zoneID: zone.zoneID))
        record["title"] = "sea"
        try await database.save(record)
        let start = try await database.databaseChanges(since: nil)
        #expect(start.modifications.map(\.zoneID) == [zone.zoneID] && start.deletions.isEmpty && !start.moreComing)
        let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        let change = try #require(try first.modificationResultsByID[record.recordID]?.get())
        #expect(change.record["title"] as? String == "sea" && first.deletions.isEmpty && !first.moreComing)
        try await database.deleteRecord(withID: record.recordID)
        let second = try await database.recordZoneChanges(
            inZoneWith: zone.zoneID, since: first.changeToken, resultsLimit: 5)
        #expect(second.deletions.map(\.recordID) == [record.recordID] && second.deletions[0].recordType == "Page")
        try await database.deleteRecordZone(withID: zone.zoneID)
        try await database.save(zone)
        let next = try await database.databaseChanges(since: start.changeToken, resultsLimit: 10)
        #expect(next.deletions.map(\.zoneID) == [zone.zoneID] && next.modifications.map(\.zoneID) == [zone.zoneID])
        let old = second.changeToken
        #expect(
            try await code { try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: old) }
                == .changeTokenExpired)
        await server.expireChangeTokens()
        #expect(try await code { try await database.databaseChanges(since: next.changeToken) } == .changeTokenExpired)
        let text = try JSONEncoder().encode(old)
        #expect(try JSONDecoder().decode(FBServerChangeToken.self, from: text) == old)
    }
}
