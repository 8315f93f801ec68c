"""Health, metrics, rules, settings, and the findings of the doctor."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.diagnosis import diagnose_services, diagnose_setup
from assay.rules.conflicts import conflicts
from assay.rules.description import rules_object
from assay.server.api_key import DEFAULT_TENANT
from assay.server.calls import Admin, Reader, Responses, TheService, json_response, problems
from assay.server.problems import AccessRefused
from assay.server.responses import DoctorObject, Health, RulesObject, SettingsObject
from assay.server.service import Service
from assay.settings import ROLES, load_settings
from assay.settings.files import shown_value
from assay.wiring.models import host_of
from assay.wiring.review import open_rules

health = APIRouter(tags=["health"])
router = APIRouter(tags=["system"])

_TEXT: Responses = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
_UNREADY: Responses = {503: {**problems()[503], "model": Health}}


@health.get("/healthz", response_model=Health, responses=problems())
async def healthz() -> Response:
    """Tell whether the process answers."""
    return json_response({"status": "ok", "checks": {}})


@health.get("/readyz", response_model=Health, responses=problems() | _UNREADY)
async def readyz(service: TheService) -> Response:
    """Tell whether questions can be answered: the data folder can be read and written."""
    cause = await asyncio.to_thread(service.unreadiness)
    if cause is None:
        return json_response({"status": "ok", "checks": {"data": "ok"}})
    return json_response({"status": "unavailable", "checks": {"data": cause}}, 503)


@health.get("/metrics", response_class=Response, responses=_TEXT | problems())
async def metrics(request: Request, service: TheService, caller: Admin) -> Response:
    """The server's counts since it started, of all tenants together, in Prometheus' text format."""
    if caller.tenant != DEFAULT_TENANT:
        raise AccessRefused(
            "the metrics count the questions of every tenant",
            hint=f"use a key of the tenant {DEFAULT_TENANT} with the scope admin",
        )
    accept = request.headers.get("accept", "")

    def page() -> tuple[bytes, str]:
        return service.metrics.page(accept, service.intake.waiting_files())

    body, content_type = await asyncio.to_thread(page)
    return Response(body, headers={"content-type": content_type})


@router.get("/rules", response_model=RulesObject, responses=problems())
async def show_rules(service: TheService, caller: Reader) -> Response:
    """The output rules in force, and which of them contradict one another."""

    def read() -> dict[str, Any]:
        rules = open_rules(service.base)
        return rules_object(rules, conflicts(rules))

    return json_response(await asyncio.to_thread(read))


@router.get("/settings", response_model=SettingsObject, responses=problems())
async def show_settings(service: TheService, caller: Reader) -> Response:
    """The caller, the model of each role, and for an admin of the tenant default every setting with its origin."""
    named = ((role, service.base.model_of(role)) for role in ROLES)
    models = [
        {"role": role, "name": name, "host": host_of(name, service.base)}
        for role, name in named
        if name is not None
    ]
    is_operator = caller.is_admin and caller.tenant == DEFAULT_TENANT
    body = {
        "caller": {"tenant": caller.tenant, "name": caller.name, "scopes": list(caller.scopes)},
        "models": models,
        "settings": await asyncio.to_thread(_settings, service) if is_operator else [],
    }
    return json_response(body)


@router.get("/doctor", response_model=DoctorObject, responses=problems())
async def diagnose(service: TheService, caller: Admin) -> Response:
    """Diagnose the installation and ask each configured model a word; for an admin of the tenant default."""
    if caller.tenant != DEFAULT_TENANT:
        raise AccessRefused(
            "only keys of the tenant default may look at the installation",
            hint="ask whoever runs the server",
            status=403,
        )

    def examine() -> list[dict[str, Any]]:
        resolved = load_settings(service.settings.engine)
        return [found.to_dict() for found in (*diagnose_setup(resolved, store=False), *diagnose_services(resolved))]

    return json_response({"examined": await asyncio.to_thread(examine)})


def _settings(service: Service) -> list[dict[str, Any]]:
    """Every setting as the engines have it, without secrets."""
    resolved = load_settings(service.settings.engine)
    return [
        {
            "name": name,
            "value": shown_value(getattr(resolved.settings, name)),
            "origin": resolved.origins[name],
            "description": field.description or "",
        }
        for name, field in type(resolved.settings).model_fields.items()
    ]
