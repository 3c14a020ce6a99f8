#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @testable import CalendarExample

    @Suite struct CalendarPageTests {
        func wait(for name: String, in database: Database) async throws -> LocalCopy {
            var copy = LocalCopy()
            try await copy.follow(database) { $0.schedules[name] != nil }
            return copy
        }

        @Test func `the program of the tutorial runs, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url

            for round in 1...2 {
                let phone = Fogbase(url).container()
                try await enter(phone, as: "mio")
                let tablet = Fogbase(url).container()
                try await enter(tablet, as: "mio")

                let planner = Planner(database: phone.publicDatabase, calendar: .current)
                let lunch = try await planner.add("Lunch", at: Date(), hours: 1.5, place: "Harbour")
                for schedule in try await planner.day(of: Date()) {
                    print(schedule.start, schedule.title)
                }

                let copy = try await wait(for: lunch.id, in: tablet.publicDatabase)
                print(copy.schedules.values.map(\.title))
                #expect(copy.schedules.values.map(\.title) == Array(repeating: "Lunch", count: round))

                let stranger = Fogbase(url).container()
                try await enter(stranger, as: "leo")
                let theirs = Planner(database: stranger.publicDatabase, calendar: .current)
                print(try await theirs.day(of: Date()).count)
                #expect(try await theirs.day(of: Date()).isEmpty)
            }
        }
    }

#endif
