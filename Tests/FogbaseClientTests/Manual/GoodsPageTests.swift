#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @testable import GoodsExample

    @Suite struct GoodsPageTests {
        @Test func `the program of the tutorial runs, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url

            for _ in 1...2 {
                let app = Fogbase(url).container()
                try await enter(app, as: "shop")
                let catalogue = Catalogue(database: app.privateDatabase)
                let pencil = Good(code: "G-1", name: "Pencil", costRate: 0.4, salesPrice: 120)
                let ink = Good(code: "G-2", name: "Ink", costRate: 0.5, salesPrice: 300)
                for good in [pencil, ink] {
                    _ = try await catalogue.add(good, image: nil)
                }
                for good in try await catalogue.goods(priced: 100...500) {
                    print(good.code, good.name, good.salesPrice)
                }
                #expect(try await catalogue.goods(priced: 100...500).map(\.code) == ["G-2", "G-1"])

                if var good = try await catalogue.goods(priced: 300...300).first {
                    good.salesPrice = 280
                    try await catalogue.database.save(good)
                }
                #expect(try await catalogue.goods(priced: 280...280).count == 1)

                do {
                    _ = try await catalogue.add(pencil, image: nil)
                } catch FogbaseError.exists {
                    print("The code is given.")
                }

                for good in try await catalogue.goods(priced: 100...500) {
                    try await catalogue.database.delete(good)
                }
            }
        }
    }

#endif
