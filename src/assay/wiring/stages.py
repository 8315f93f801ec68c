"""The stages of one run, composed over ports that know its budget and its tape."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from assay.calibration.curves import FITTED_MODE, LATEST
from assay.calibration.risk_guarantee import RiskGuarantee
from assay.core.answer_cache import AnswerCache
from assay.core.budget import ASSESSMENT, VERIFIER
from assay.core.run import Deadline, Run, lateness
from assay.core.stages import (
    LLM,
    Assessor,
    ConfidenceEstimator,
    Embedder,
    Judge,
    Reader,
    Refiner,
    Repairer,
    Retriever,
    RowFinder,
    SearchUtility,
    Selector,
    Speller,
    Stages,
    TextVerifier,
    Understander,
    Writer,
)
from assay.judging.judge import JudgePipeline, NoJudge
from assay.judging.light import BalancedModel, Band, learned_band
from assay.judging.reader_judge import FAST, HeuristicJudge
from assay.judging.recommendation import Thresholds
from assay.judging.rewriting import ModelRefiner, QuestionFirst, RulesRefiner
from assay.judging.row_finder import ReaderRowFinder
from assay.judging.search_utility import learned_utility, with_own
from assay.judging.selection import BestSelector, ModelStripRanker, StripSelector
from assay.judging.thorough import ThoroughModel
from assay.models.caching import CachingEmbedder
from assay.models.prices import Price, price_of
from assay.models.run_model import CallMeter, RunModel, delays_from, ignore_usage
from assay.prompting import FenceSource, random_fence
from assay.records.answer_cache import Checks, RecordedAnswers, TapedAnswers
from assay.records.replay import ModelTape, TapedEmbedder, TapedFences, TapedRetriever, TapedSpeller
from assay.repair.exchange import shipped_weights
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import ComposedRepairer, RulesRepairer
from assay.repair.search import SearchRepairer
from assay.retrieval.caller import CallerRetriever
from assay.rules.output_rules import OutputRules
from assay.rules.rule import RuleSet
from assay.settings import Settings
from assay.types import Action, ModelsUsed, Question, RepairKind, Role, Triage
from assay.understanding.model import ModelUnderstander
from assay.understanding.rules import AsSetUnderstander, RulesUnderstander
from assay.understanding.spelling import SpellingUnderstander
from assay.verification.model_verifier import ModelTier, ModelVerifier, Tier
from assay.verification.risk import PromisedVerifier
from assay.verification.subject import ReaderRelevance
from assay.verification.support import SUPPORTED
from assay.verification.verifier import DeterministicVerifier
from assay.wiring.answer_cache import AnswerStore, answer_key
from assay.wiring.calibrated import (
    confidence_estimator,
    describe_guarantee,
    guarantee_of_answers,
    guarantee_of_claims,
)
from assay.wiring.idle_settings import idle_warnings
from assay.wiring.models import Models, as_set, thinking_within, tuning_of
from assay.wiring.networks import BUNDLED_READER, OpenChecker, OpenReader
from assay.wiring.review import AnswerableByCollection, adviser, assessor, output_rules
from assay.wiring.search import search_settings
from assay.wiring.verdict_cache import VerdictCache
from assay.writing.abstain import AskingDecliner, PlainDecliner
from assay.writing.extractive import ExtractiveWriter
from assay.writing.model_writer import ModelWriter, RoutedWriter, UnlinkedDecliner, UnlinkedWriter
from assay.writing.prompt import Style
from assay.writing.reader_writer import ReaderWriter

# The repairer, and the repairs that can be carried out.


# The repairs that need no model.
BY_RULES = frozenset({RepairKind.RE_CITE, RepairKind.CORRECT, RepairKind.FETCH, RepairKind.HEDGE, RepairKind.DROP})


def repairer(
    verifier: DeterministicVerifier,
    searches: Mapping[str, Retriever],
    model: LLM | None,
    tell: Callable[[str], None],
    fence: FenceSource,
    room: int,
) -> Repairer:
    """The repairer of a run: by rules, by searching again, and by a model where there is one.

    Values are exchanged in sentences in words of their own only where the verifier's checker is the one that the
    weights of such exchanges were fitted for.
    """
    by_kind: dict[RepairKind, Repairer] = {RepairKind.FETCH: SearchRepairer(searches, verifier, tell)}
    if model is not None:
        by_kind[RepairKind.REWRITE] = ModelRepairer(model, tell, fence, room)
    weighs = verifier.checker is not None and verifier.checker.model.id == shipped_weights().checker
    return ComposedRepairer(RulesRepairer(verifier, verifier if weighs else None), by_kind)


def allowed_repairs(*, written: bool, deep: bool, rewrites: bool, unsupported: str) -> frozenset[RepairKind]:
    """The repairs that can be carried out where a model has `written` and the profile is `deep`, above fast.

    What is quoted is never edited. What failed is marked and never dropped where the user wants that.
    """
    by_model = {
        RepairKind.EDIT: written,
        RepairKind.REGENERATE: written and deep,
        RepairKind.REWRITE: rewrites,
    }
    dropping = frozenset({RepairKind.DROP}) if unsupported == "mark" else frozenset()
    return BY_RULES - dropping | {kind for kind, is_able in by_model.items() if is_able}


# Actions that this version can carry out; the policy falls back to ABSTAIN for the rest.
ABLE = frozenset({Action.ANSWER, Action.REFINE, Action.CLARIFY, Action.ABSTAIN})
# The share of what a model can take that a judge's prompt may fill with passages; the rest is for its
# instructions, the question and the reply.
EVIDENCE_SHARE = 0.6
_ONLY_SAME = (
    "reuse near serves the same question only: no reader says whether a kept answer answers another one; set "
    "--reader bundled"
)
# The name in answers of the judge that asks no model.
_FITTED = "heuristic (fitted)"


@dataclass(frozen=True, slots=True)
class Composer:
    """Composes the stages of a run from an engine's settings, models and ports.

    `is_own_search` says that the retriever is the caller's. `supports` is how far the engine's latest claims of
    anyone's text were supported, where a promise is made of them. `answers` is None where none are kept.
    """

    settings: Settings
    models: Models
    embedder: Embedder
    retriever: Retriever
    outside: Retriever
    rules: RuleSet
    verdicts: VerdictCache | None = None
    checker: OpenChecker | None = None
    reader: OpenReader | None = None
    speller: Speller | None = None
    answers: AnswerStore | None = None
    is_own_search: bool = False
    supports: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def stages(self, run: Run) -> Stages:
        """The stages of one run."""
        taped = self.embedder if run.tape is None else TapedEmbedder(self.embedder, run.tape)
        embedder = CachingEmbedder(taped)
        reader = None if self.reader is None else self.reader.of(run)
        fallback_writer = _fallback_writer(reader, embedder)
        used = self._models_used(run.profile)
        promise = self._guarantee(run, used)
        condenses = run.in_dialogue or run.limits.rounds > 1
        idle = idle_warnings(self.settings, run.profile, answers=run.answers, condenses=condenses)
        notes = [*idle, *([describe_guarantee(promise, run)] if promise else [])]
        understander, plain = self._understander(run), self._deterministic_verifier(embedder, reader, run)
        # The engine keeps the deadline of runs that answer.
        asked = self._asked_seconds(run)
        in_time = None if asked is None else Deadline(asked, uses_file=used.use_file).within
        outside = _on_tape(self.outside, run, "outside")
        retriever, again = self._retrievers(run)
        answerable = AnswerableByCollection(understander, again, self._fast(embedder, reader))
        writer = self._writer(run)
        rewriter = None if run.profile == "fast" else self._model("repairer", run)
        verifier = self._verifier(plain, run, in_time)
        rules = self._rules(answerable, run)
        estimator = confidence_estimator(
            run, self.settings, self.embedder.model.sha256, used, foreign=self._is_foreign(run)
        )
        return Stages(
            understander=understander,
            retriever=retriever,
            outside=outside,
            refiner=self._refiner(run, notes.append),
            selector=self._selector(run, notes.append),
            judge=self._judge(embedder, reader, run, promise.threshold if promise else 0.0),
            writer=writer or fallback_writer,
            fallback_writer=fallback_writer,
            abstainer=UnlinkedDecliner(AskingDecliner(_abstainer(run, promise))),
            verifier=verifier,
            concluder=plain,
            text_verifier=self._with_guarantee(verifier, run),
            offline_verifier=plain,
            repairer=repairer(
                plain,
                {"search": again, **({"outside": outside} if self.settings.verify_outside else {})},
                rewriter,
                notes.append,
                self._fences(run, "repair"),
                int(EVIDENCE_SHARE * self.settings.context_tokens),
            ),
            rules=rules,
            editor=rules,
            assessor=self._assessor(run),
            adviser=adviser(self.settings) if self.settings.reflection else None,
            confidence_estimator=estimator,
            models=used,
            allowed_actions=self._allowed_actions(run),
            allowed_repairs=allowed_repairs(
                written=writer is not None,
                deep=run.profile != "fast",
                rewrites=rewriter is not None,
                unsupported=self.settings.unsupported,
            )
            - (frozenset() if _may_search(run) else {RepairKind.FETCH}),
            search_utility=self._search_utility(run),
            notes=lambda: tuple(notes),
            in_time=in_time or nullcontext,
            masking=bool(self.models.by_name),
            closest_writer=fallback_writer if reader is not None and self.settings.max_risk is None else None,
            relevance=None if reader is None else ReaderRelevance(reader),
            settler=verifier if isinstance(verifier, ModelVerifier) else None,
            explains=self.settings.explain,
            answer_cache=self._answer_cache(run, estimator, notes.append),
            spent=lambda: run.budget.spent,
        )

    def _answer_cache(
        self, run: Run, estimator: ConfidenceEstimator, tell: Callable[[str], None]
    ) -> AnswerCache | None:
        """The kept answers of a run; None where its answer depends on more than its question and the collection."""
        alone = run.answers and run.passages is None and not run.in_dialogue and not self.is_own_search
        if self.settings.reuse == "off" or not alone:
            return None
        found = None if self.answers is None else self._recorded_answers(self.answers, run, estimator, tell)
        return found if run.tape is None else TapedAnswers(found, run.tape)

    def _recorded_answers(
        self, answers: AnswerStore, run: Run, estimator: ConfidenceEstimator, tell: Callable[[str], None]
    ) -> RecordedAnswers:
        """The recorded answers; their checks are not on the tape, which holds what comes of them."""
        untaped = replace(run, tape=None)
        reader = None if self.reader is None else self.reader.of(untaped)
        near = self.settings.reuse == "near"
        if near and reader is None:
            tell(_ONLY_SAME)
        verifier = self._deterministic_verifier(self.embedder, reader, untaped)
        checks = Checks(
            answers.index,
            self.retriever,
            answers.plain(search_settings(self.settings)),
            self.embedder,
            verifier,
            verifier,
            None if reader is None else ReaderRelevance(reader),
            estimator,
        )
        networks = (
            answers.embedding,
            None if self.checker is None else self.checker.checker.model,
            None if self.reader is None else self.reader.reader.model,
        )
        key = answer_key(self.settings, run, self.models, networks, self.rules.sha256)
        return answers.of(run, key, checks, tell, near=near)

    def _retrievers(self, run: Run) -> tuple[Retriever, Retriever]:
        """The retriever of a run's first evidence, and the one that is asked for more."""
        search = _on_tape(self.retriever, run, "retrieve")
        if run.passages is None:
            return search, search
        inner = CallerRetriever(run.passages.evidence, self.retriever if run.passages.searches else None)
        first = _on_tape(inner, run, "retrieve")
        return first, search if run.passages.searches else first

    def _is_foreign(self, run: Run) -> bool:
        """True if others than assay find the passages of a run."""
        return self.is_own_search or run.passages is not None

    def _allowed_actions(self, run: Run) -> frozenset[Action]:
        able = ABLE if self.settings.ask_back else ABLE - {Action.CLARIFY}
        if not _may_search(run):
            return able - {Action.REFINE}
        return able | ({Action.EXTERNAL} if self.settings.outside else frozenset())

    def _rules(self, answerable: AnswerableByCollection, run: Run) -> OutputRules | None:
        # Nobody asked the writer of a draft from elsewhere to keep rules, unless somebody set some.
        unasked = not run.answers and not self.settings.was_set("rules")
        if unasked or not self.settings.reflection:
            return None
        return output_rules(self.rules, self.settings, answerable, run.meter.timing)

    def _guarantee(self, run: Run, used: ModelsUsed) -> RiskGuarantee | None:
        """The guarantee for the run's answers; none where it answers no question."""
        if not run.answers:
            return None
        asks = self.models.of("judge") is not None and run.profile != "fast"
        judge = "model" if asks else self._fast_judge_mode()
        embedding, foreign = self.embedder.model.sha256, self._is_foreign(run)
        return guarantee_of_answers(self.settings, run, embedding, judge, used, foreign=foreign)

    def _understander(self, run: Run) -> Understander:
        rules = RulesUnderstander()
        model = self._model("condenser", run)
        inner: Understander = (
            rules if model is None else ModelUnderstander(model, rules, self._fences(run, "understand"))
        )
        # The words of passages from elsewhere are not those of the collection.
        spells = self.settings.spelling and run.answers and run.passages is None
        if self.speller is not None and spells:
            inner = SpellingUnderstander(inner, _speller_on_tape(self.speller, run))
        return AsSetUnderstander(inner, self.settings.detail, self.settings.expertise, self.settings.kind)

    def _refiner(self, run: Run, tell: Callable[[str], None]) -> Refiner:
        model, refiner = self._model("condenser", run), RulesRefiner()
        room = int(EVIDENCE_SHARE * self.settings.context_tokens)
        inner: Refiner = (
            refiner if model is None else ModelRefiner(model, refiner, tell, room, self._fences(run, "refine"))
        )
        return inner if run.passages is None else QuestionFirst(inner)

    def _selector(self, run: Run, tell: Callable[[str], None]) -> Selector:
        by_rules = StripSelector(BestSelector(self.settings.k))
        model = self._model("condenser", run) if run.profile == "thorough" else None
        if model is None:
            return by_rules
        room = int(EVIDENCE_SHARE * self.settings.context_tokens)
        return ModelStripRanker(model, by_rules, tell, room, self._fences(run, "select"))

    def _judge(self, embedder: Embedder, reader: Reader | None, run: Run, gate: float) -> Judge:
        """The judge of a run, or none where the settings say so; below `gate` no evidence suffices."""
        judge = self._judge_pipeline(embedder, reader, run, gate)
        if not run.answers or self.settings.judging == "decide":
            return judge
        return NoJudge(judge if self.settings.judging == "log" else None)

    def _judge_pipeline(self, embedder: Embedder, reader: Reader | None, run: Run, gate: float) -> JudgePipeline:
        """The judge, which says itself in what order it works."""
        at = self._thresholds()
        model = None if run.profile == "fast" else self._model("judge", run)
        fences, room = self._fences(run, "judge"), int(EVIDENCE_SHARE * self.settings.context_tokens)
        return JudgePipeline(
            fast=self._fast(embedder, reader, gate),
            clock=run.clock,
            balanced=(
                None if model is None else BalancedModel(model, at, band=self._band(), room=room, fence=fences)
            ),
            thorough=(
                ThoroughModel(model, at, room, fences) if model is not None and run.profile == "thorough" else None
            ),
            least_passages=self.settings.least_passages,
            are_given=self._is_foreign(run),
            checker=None if self.checker is None else self.checker.of(run),
            reader=reader,
            asks_back=self.settings.ask_back,
        )

    def _deterministic_verifier(self, embedder: Embedder, reader: Reader | None, run: Run) -> DeterministicVerifier:
        asked = self._asked_seconds(run)
        late = None if asked is None else lateness(asked, run.clock)
        return DeterministicVerifier(
            embedder,
            frozenset(self.settings.skip),
            timing=run.meter.timing,
            lateness=late,
            checker=None if self.checker is None else self.checker.of(run),
            answer_reader=reader,
            rows=_row_finder(reader, embedder),
        )

    def _asked_seconds(self, run: Run) -> float | None:
        """The deadline of anyone's text, where one was asked for: the profile's would cut long ones."""
        return None if run.answers or not self.settings.was_set("deadline") else self.settings.deadline

    def _verifier(
        self,
        plain: DeterministicVerifier,
        run: Run,
        in_time: Callable[[], AbstractAsyncContextManager[None]] | None,
    ) -> DeterministicVerifier | ModelVerifier:
        """The verifier that asks a model what rules leave open: one set for this very role, none unbidden."""
        model = self._model("verifier", run, VERIFIER) if self.settings.verifier_model else None
        if model is None:
            return plain
        room = int(EVIDENCE_SHARE * self.settings.context_tokens)
        tier: Tier = ModelTier(model, room, self._fences(run, "verify"))
        return ModelVerifier(plain, tier if self.verdicts is None else self.verdicts.tier(tier, run), in_time)

    def _with_guarantee(self, verifier: TextVerifier, run: Run) -> TextVerifier:
        """The verifier of anyone's text under the promise asked for; an answer's promise is about its evidence."""
        if run.answers or self.settings.max_risk is None:
            return verifier
        policy = None if self.checker is None else self.checker.checker.model.policy
        bar = SUPPORTED if policy is None else policy.supported
        made = partial(guarantee_of_claims, self.settings, self.embedder.model.sha256, self._verifier_name(), bar)
        return PromisedVerifier(verifier, made, self.supports)

    def _assessor(self, run: Run) -> Assessor | None:
        """The assessor; a model only where a question may ask many times."""
        if not self.settings.reflection:
            return None
        model = self._model("judge", run, ASSESSMENT) if run.profile == "thorough" else None
        room = int(EVIDENCE_SHARE * self.settings.context_tokens)
        return assessor(self.settings, model, room, self._fences(run, "assess"), run.meter.timing)

    def _thresholds(self, gate: float = 0.0) -> Thresholds:
        own = self.settings
        return Thresholds(max(gate, own.correct), own.incorrect, own.excellent, own.good, own.partial)

    def _band(self) -> Band:
        learned, low, high = learned_band(), self.settings.borderline_low, self.settings.borderline_high
        return Band(learned.low if low is None else low, learned.high if high is None else high)

    def _fast(self, embedder: Embedder, reader: Reader | None, gate: float = 0.0) -> Judge:
        """The fast judge; below `gate` no evidence suffices."""
        return HeuristicJudge(
            embedder, thresholds=self._thresholds(gate), reader=reader, rows=_row_finder(reader, embedder)
        )

    def _writer(self, run: Run) -> Writer | None:
        """The writer that asks a model, None where there is none: then the sources are quoted."""
        model = self._model("writer", run)
        if model is None:
            return None
        full = self._cited_writer(model, run)
        if self.models.simple is None:
            return UnlinkedWriter(full)
        simple = self._of_run(self.models.by_name[self.models.simple], run)
        return UnlinkedWriter(RoutedWriter(self._cited_writer(simple, run), full))

    def _cited_writer(self, model: LLM, run: Run) -> Writer:
        style = Style(
            context_tokens=self.settings.context_tokens,
            history_messages=self.settings.messages(run.profile),
            instructions=self._rule_instructions,
            max_tokens=self.settings.reply_tokens,
            temperature=self.settings.writer_temperature,
            system_prompt=self.settings.system_prompt or "",
            thinking_tokens=thinking_within(model.name, self.settings),
        )
        return ModelWriter(model, style, self._fences(run, "write"))

    def _rule_instructions(self, question: Question) -> tuple[str, ...]:
        """The instructions of the output rules for a writer."""
        return output_rules(self.rules, self.settings).instructions(question) if self.settings.reflection else ()

    def _fences(self, run: Run, stage: str) -> FenceSource:
        return random_fence if run.tape is None else TapedFences(random_fence, run.tape, stage)

    def _model(self, role: Role, run: Run, check: str | None = None) -> LLM | None:
        """The model of a role; what its calls use is counted for the `check` that it makes, if it makes one.

        Where a model tests the draft, calls are kept for it and for the writer: who works before them cannot take
        these.
        """
        model, before = self.models.of(role), role in ("condenser", "judge") and check is None
        spare = 1 + ("writer" in self.models.roles) if self.settings.verifier_model and before else 0
        return None if model is None else self._of_run(model, run, check, spare)

    def _of_run(self, model: RunModel, run: Run, check: str | None = None, spare: int = 0) -> RunModel:
        """The model as it is set, within the run's budget and on its tape."""
        meter = CallMeter(
            run.budget,
            run.clock,
            price=self._price(model.name),
            delays=delays_from(self.settings.retry_seconds),
            chance=random.Random(run.id),  # noqa: S311 - delays are no secret
            on_usage=ignore_usage if check is None else partial(run.meter.asked, check),
            spare=spare,
            on_attempts=run.meter.tried,
        )
        tape = None if run.tape is None else ModelTape(run.tape)
        tuning = tuning_of(model.name, self.settings)
        return replace(model, tape=tape, watch=run.meter.watch, meter=meter, tuning=tuning)

    def _price(self, model: str) -> Price | None:
        """The price at which a call is reserved; None where money is not limited."""
        return None if self.settings.max_cost is None else price_of(model, self.settings.prices)

    def _search_utility(self, run: Run) -> SearchUtility:
        asks = self.models.of("judge") is not None and run.profile != "fast"
        shipped = learned_utility("model" if asks else "rules", self.settings.correct)
        learned = with_own(shipped, self.settings.search_utility.get("model" if asks else "rules", {}))
        if self.settings.judging != "decide":
            return replace(
                learned, answer_threshold=0.0
            )  # a judgement that decides nothing starts no second search
        if run.passages is None:
            return learned
        # The learned values are of second searches; here the caller's first one is still to be made.
        return replace(learned, gains={**learned.gains, **{(Action.REFINE, triage): 1.0 for triage in Triage}})

    def _models_used(self, profile: str) -> ModelsUsed:
        judge = self.models.of("judge")
        asks = judge is not None and profile != "fast"
        writer = self.models.of("writer")
        return ModelsUsed(
            writer="extractive" if writer is None else self._writer_name(writer.name),
            judge=_FITTED if judge is None or not asks else as_set(judge.name, self.settings, "judge"),
            verifier=self._verifier_name(),
        )

    def _verifier_name(self) -> str:
        model = self.models.of("verifier") if self.settings.verifier_model else None
        checker = None if self.checker is None else self.checker.checker.model.id
        asked = None if model is None else as_set(model.name, self.settings, "verifier")
        return ", ".join(filter(None, ("deterministic", checker, asked)))

    def _fast_judge_mode(self) -> str:
        """The fast judge as calibrations name it."""
        return FAST if self.reader is None else FITTED_MODE

    def _writer_name(self, name: str) -> str:
        full, simple = as_set(name, self.settings, "writer"), self.models.simple
        if simple is None:
            return full
        return f"{full} (simple questions: {as_set(self.models.by_name[simple].name, self.settings, 'writer')})"


def _fallback_writer(reader: Reader | None, embedder: Embedder) -> Writer:
    """The writer that quotes the sources: by the reader, where there is one."""
    by_sentences = ExtractiveWriter()
    if reader is None:
        return by_sentences
    return ReaderWriter(reader, embedder, by_sentences, _row_finder(reader, embedder))


def _row_finder(reader: Reader | None, embedder: Embedder) -> RowFinder | None:
    """The finder of rows of tables; its weights are for the bundled reader alone."""
    if reader is None or reader.model.id != BUNDLED_READER:
        return None
    return ReaderRowFinder(reader, embedder)


def _abstainer(run: Run, promise: RiskGuarantee | None) -> PlainDecliner:
    plain = PlainDecliner() if run.passages is None else PlainDecliner("No passages were given for this question")
    if promise is None:
        return plain
    return replace(plain, unanswered=f"What was found is too unsure for a risk of at most {promise.risk:.0%}")


def _may_search(run: Run) -> bool:
    """True if assay may search for a run: not where the caller's passages are all there is."""
    return run.passages is None or run.passages.searches


def _on_tape(retriever: Retriever, run: Run, port: str) -> Retriever:
    return retriever if run.tape is None else TapedRetriever(retriever, run.tape, port)


def _speller_on_tape(speller: Speller, run: Run) -> Speller:
    return speller if run.tape is None else TapedSpeller(speller, run.tape)
