import EngineSimulation
import PigeonTesting
import Testing

/// The fewest operations that led to a defect, as the simulation found them.
struct Finding: CustomTestStringConvertible, Sendable {
    let number: String
    let rule: SimulationRule
    let operations: [Simulation.Operation]

    init(_ number: String, _ rule: SimulationRule, _ actions: SimulatedAction...) {
        self.number = number
        self.rule = rule
        operations = actions.map(Simulation.Operation.init)
    }

    var testDescription: String { "\(number): \(rule)" }

    static let all = [
        Finding(
            "E1", .pageAnswer, .nextPage("list"), .answer(0), .nextPage("list"), .fetch("list", .refetch), .answer(0)),
        Finding(
            "E2", .pageOrder, .nextPage("feed"), .answer(0), .nextPage("feed"), .answer(0), .nextPage("feed"),
            .keepFirstPage("feed"), .answer(0)),
        Finding(
            "E3", .confirmedEdit, .observe("a/1", isEnabled: true), .answer(0), .mutate("a/1", SimulatedEditStyle()),
            .mutate("a/1", SimulatedEditStyle(writes: .update)), .answer(0), .answer(0)),
        Finding(
            "E4", .invalidation, .observe("a/1", isEnabled: true), .receive(0), .change("a/1", 1),
            .invalidate(.key("a/1"), .active), .answer(0)),
        Finding("E5", .timers, .interrupt(.fetcher, .wait(8)), .observe("b/1", isEnabled: true)),
        Finding("E6", .records, .invalidate(.key("b/1"), .none), .invalidate(.key("b/1"), .none)),
        Finding(
            "E7", .sequence, .observe("a/1", isEnabled: true), .observe("a/1", isEnabled: true), .answer(0),
            .interrupt(.observer, .set("a/1", keeps: false)), .interrupt(.observer, .iterate(1)),
            .set("a/1", keeps: false)),
        Finding(
            "E8", .refetch, .observe("s", isEnabled: true), .answer(0), .holdSource("s"), .fetch("s", .fetch),
            .changeSource("s"), .fetch("s", .refetch), .releaseSource("s")),
        Finding(
            "E9", .deliveryDuringEvents, .observe("a/1", isEnabled: true), .answer(0),
            .interrupt(.event, .set("a/1", keeps: false)), .set("a/1", keeps: false)),
        Finding(
            "E10", .lateEdit, .mutate("a/1", SimulatedEditStyle()), .observe("a/1", isEnabled: true), .answer(1)),
        Finding(
            "E10", .editOnDisk, .observe("b/2", isEnabled: true), .answer(0),
            .restart(flushes: true, clock: 0, losesBatch: false), .memoryPressure, .update("b/2", keeps: false)),
        Finding(
            "E11", .restartAfterConfirmation, .observe("b/2", isEnabled: true), .answer(0),
            .mutate("b/2", SimulatedEditStyle()), .fetch("b/2", .refetch), .answer(0),
            .restart(flushes: true, clock: 0, losesBatch: false)),
        Finding("E12", .sameOptions, .observe("a/2", isEnabled: true), .observe("a/2", isEnabled: true)),
        Finding("E13", .signOutEndsMutations, .mutate("a/1", SimulatedEditStyle()), .clear),
        Finding(
            "E14", .foldedEdit, .observe("a/1", isEnabled: true), .answer(0), .mutate("a/1", SimulatedEditStyle()),
            .receive(0), .fetch("a/1", .refetch), .answer(1), .answer(0)),
        Finding(
            "Tags of a retry", .validatorsOfRetry, .fetch("c", .ensure), .answer(0), .observe("c", isEnabled: true),
            .fail(0, .unavailable), .set("c", keeps: false), .wait(3)),
        Finding(
            "Tags of a confirmed change", .validatorsOfEdit, .observe("b/2", isEnabled: true), .answer(0),
            .mutate("b/2", SimulatedEditStyle(shows: .set)), .answer(0), .fetch("b/2", .refetch)),
        Finding(
            "A sign-out that a source holds up", .failedSignOut, .set("c", keeps: false), .wait(1),
            .fetch("s", .ensure), .holdSource("s"), .disk(fails: true), .clear, .fetch("c", .fetch)),
        Finding(
            "E16", .editAfterSignOut, .observe("a/1", isEnabled: true), .interrupt(.edit, .clear),
            .mutate("a/1", SimulatedEditStyle(shows: .set))),
        Finding(
            "A sign-out while a mutation writes its answer", .editAfterSignOut,
            .mutate("b/2", SimulatedEditStyle(shows: .nothing, writes: .set)), .interrupt(.recordRead, .clear),
            .answer(0)),
        Finding(
            "A sign-out while a record is read", .signOut, .set("c", keeps: false),
            .restart(flushes: true, clock: 0, losesBatch: false), .memoryPressure,
            .interrupt(.recordRead, .observe("c", isEnabled: false)), .interrupt(.recordRead, .clear), .read("c")),
        Finding(
            "An edit after a refetch that failed", .invalidation, .observe("a/1", isEnabled: true), .answer(0),
            .change("a/1", 1), .invalidate(.key("a/1"), .all), .fail(0, .unavailable), .update("a/1", keeps: false)),
        Finding(
            "A retry that was asked after a write", .landing, .fetch("a/2", .fetch), .answer(0),
            .fetch("a/2", .refetch), .fail(0, .unavailable), .set("a/2", keeps: true), .wait(3), .answer(0)),
        Finding(
            "A confirmed change on nothing", .ageing, .observe("a/2", isEnabled: true), .clear,
            .mutate("a/2", SimulatedEditStyle(shows: .set)), .answer(0), .wait(30)),
        Finding(
            "A confirmed change on nothing, while another is made", .observedAge, .observe("a/2", isEnabled: true),
            .clear,
            .mutate("a/2", SimulatedEditStyle()), .mutate("a/2", SimulatedEditStyle(shows: .set)), .answer(1),
            .read("a/2")),
        Finding(
            "An edit of what is removed as unused meanwhile", .editOnDisk, .set("c", keeps: false), .wait(400),
            .interrupt(.edit, .wait(400)), .update("c", keeps: false)),
        Finding(
            "An observer that comes when a value has aged", .ageing, .observe("b/1", isEnabled: true),
            .fetch("a/2", .fetch), .observe("a/2", isEnabled: false), .set("a/2", keeps: false), .wait(30),
            .switchKey(0, "a/2")),
        Finding(
            "A write while a damaged record is read", .restart, .set("c", keeps: false),
            .interrupt(.recordRead, .set("c", keeps: false)),
            .wait(1), .tearRecord(0), .memoryPressure, .observe("c", isEnabled: true),
            .restart(flushes: true, clock: 0, losesBatch: false)),
        Finding(
            "An invalidation between the attempts of a list", .invalidation, .nextPage("feed"), .answer(0),
            .nextPage("feed"),
            .answer(0), .fetch("feed", .refetch), .answer(0), .fail(0, .unavailable), .change("feed", 1),
            .invalidate(.all, .none), .wait(3), .answer(0)),
        Finding(
            "A retry after an older fetch brought the first page", .structure, .previousPage("feed"),
            .fetch("feed", .beside), .fail(1, .unavailable), .answer(0)),
        Finding(
            "An edit while a refetch is awaited", .refetch, .set("d", keeps: false), .fetch("d", .refetch),
            .mutate("d", SimulatedEditStyle(writes: .update)), .answer(1), .answer(0)),
        Finding(
            "A fetch that failed while the source was changed", .invalidation, .observe("s", isEnabled: true),
            .holdSource("s"), .changeSource("s"), .cancel(.key("s")), .invalidate(.key("s"), .all), .fail(1, .refused),
            .releaseSource("s")),
        Finding(
            "An answer from before an edit, after a newer fetch has failed", .invalidation,
            .observe("d", isEnabled: true), .answer(0), .change("d", 1), .invalidate(.key("d"), .active),
            .update("d", keeps: true), .fetch("d", .beside), .fail(1, .refused), .answer(0)),
    ]
}
